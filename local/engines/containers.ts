import { execFile } from 'node:child_process';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { CliError } from '#local/cli/cli-error.ts';
import { HOST } from '#local/cli/open-port.ts';
import { CONTAINER_HOST } from './fauxqs/access.ts';

const LOOPBACK = /^(127(\.\d+){3}|localhost|\[::1\])$/;

export const isLoopback = (address: string): boolean => LOOPBACK.test(URL.parse(address)?.hostname ?? '');

export const fromContainer = (address: string): string => {
  if (!isLoopback(address)) return address;
  const url = new URL(address);
  url.hostname = CONTAINER_HOST;
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
      `npm run sam needs Docker, but ${why.split('\n', 1)[0]?.replace(/\.$/, '')} (see docs/engines.md).`,
    );
  }
};

const pipeSockets = (client: Socket, host: string, port: number): void => {
  const server = connect(port, host);
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.pipe(other);
    one.once('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
};

/** An address of 127.0.0.0/8; for the names of the loopback, its first address. */
const hostOf = ({ hostname }: URL): string => (/^127\./.test(hostname) ? hostname : HOST);

/**
 * Forwards a port of Docker's gateway to the same port of an address of the loopback. Only containers and this machine
 * can reach it. Without the gateway's address on this machine, Docker Desktop forwards the ports of 127.0.0.1 itself.
 * @returns undefined if there is nothing to do
 */
export const forwardPort = (gateway: string, target: URL): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const [host, port] = [hostOf(target), Number(target.port)];
    const server = createServer((client) => pipeSockets(client, host, port));
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL') return resolve(host === HOST ? undefined : forwardPort(HOST, target));
      reject(new CliError(`Cannot listen at ${gateway}:${port}, which containers connect to: ${error.message}`));
    });
    server.listen(port, gateway, () => resolve(server));
  });
