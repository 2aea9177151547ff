import { execFile } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { CliError } from '#local/cli/cli-error.ts';
import { HOST } from './guards/origin.ts';

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/;

/** Whether an address is one that only this machine reaches. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(URL.parse(address)?.hostname ?? '');

/** An address of this machine as a container reaches it; any other as it is. */
export const fromContainer = (address: string): string => {
  if (!isLoopback(address)) return address;
  const url = new URL(address);
  url.hostname = HOST;
  return url.href.replace(/\/$/, '');
};

const GATEWAY = ['network', 'inspect', 'bridge', '--format', '{{range .IPAM.Config}}{{.Gateway}} {{end}}'];

/**
 * The address at which containers find this machine; of a Docker Desktop's, which is a machine of its own, that one's.
 * @throws Failure when there is no Docker, or its engine does not answer
 */
export const gatewayOf = async (): Promise<string | undefined> => {
  try {
    const { stdout } = await promisify(execFile)('docker', GATEWAY);
    return stdout.split(/\s+/).find(Boolean);
  } catch (error) {
    const { code, stderr = '' } = error as { code?: string; stderr?: string };
    const why = code === 'ENOENT' ? 'there is no docker on the PATH' : `its engine does not answer: ${stderr.trim()}`;
    throw new CliError(`npm run sam takes Docker, but ${why.split('\n', 1)[0]} (see docs/sam-local.md).`);
  }
};

const join = (client: Socket, port: number): void => {
  const server = connect(port, '127.0.0.1');
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.pipe(other);
    one.once('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
};

/**
 * Passes what containers send to their gateway on to a port of the loopback, where nobody else can reach it.
 * @returns nothing where the gateway is no address of this machine: Docker Desktop passes on by itself
 */
export const forwardPort = (gateway: string, port: number): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((client) => join(client, port));
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL') return resolve(undefined);
      reject(new CliError(`Containers cannot be let in at ${gateway}:${port}: ${error.message}`));
    });
    server.listen(port, gateway, () => resolve(server));
  });
