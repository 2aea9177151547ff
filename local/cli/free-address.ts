import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** A free port of an address; undefined if this machine does not have the address. */
export const freePort = (host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL') resolve(undefined);
      else reject(error);
    });
    server.listen(0, host, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/**
 * An engine answers any web page that finds it. So the engine listens at a random address of 2^24 loopback addresses,
 * too many to try. Where the loopback has only one address (macOS), only the port is random.
 */
export const freeAddress = async (): Promise<{ host: string; port: number }> => {
  const host = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const port = await freePort(host);
  if (port !== undefined) return { host, port };
  return { host: '127.0.0.1', port: (await freePort('127.0.0.1')) as number };
};
