import { execFile } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { CliError } from '#local/cli/cli-error.ts';
import { HOST } from './guards/origin.ts';

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/;

export const isLoopback = (address: string): boolean => LOOPBACK.test(URL.parse(address)?.hostname ?? '');

export const fromContainer = (address: string): string => {
  if (!isLoopback(address)) return address;
  const url = new URL(address);
  url.hostname = HOST;
  return url.href.replace(/\/$/, '');
};

const GATEWAY = ['network', 'inspect', 'bridge', '--format', '{{range .IPAM.Config}}{{or .Gateway .Subnet}} {{end}}'];

/** A daemon that has just created the network names no gateway: the gateway is then its first address. */
const toGateway = (address: string): string => address.replace(/\.0\/\d+$/, '.1');

/** The address at which containers reach this machine; with Docker Desktop, the address of its virtual machine. */
export const findDockerGateway = async (): Promise<string | undefined> => {
  try {
    const { stdout } = await promisify(execFile)('docker', GATEWAY);
    const address = stdout.split(/\s+/).find(Boolean);
    return address && toGateway(address);
  } catch (error) {
    const { code, stderr = '' } = error as { code?: string; stderr?: string };
    const why = code === 'ENOENT' ? 'docker is not on the PATH' : `its daemon does not respond: ${stderr.trim()}`;
    throw new CliError(
      `npm run sam needs Docker, but ${why.split('\n', 1)[0]?.replace(/\.$/, '')} (see docs/sam-local.md).`,
    );
  }
};

const pipeSockets = (client: Socket, port: number): void => {
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
 * Forwards a port of Docker's gateway to the same port of the loopback. Only containers and this machine can reach it.
 * @returns undefined if this machine does not have the gateway's address: Docker Desktop forwards the ports itself
 */
export const forwardPort = (gateway: string, port: number): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((client) => pipeSockets(client, port));
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL') return resolve(undefined);
      reject(
        new CliError(
          `Cannot listen at Docker's gateway ${gateway}:${port}, which containers connect to: ${error.message}`,
        ),
      );
    });
    server.listen(port, gateway, () => resolve(server));
  });
