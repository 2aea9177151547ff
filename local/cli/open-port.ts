import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from './cli-error.ts';

/** Other machines cannot reach this address. */
export const HOST = '127.0.0.1';

/**
 * Listens on a port of this machine, or on a free port for 0, and returns the port.
 * @param remedy what to do if the port is in use
 */
export const openPort = (server: Server, port: number, remedy: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      reject(new CliError(code === 'EADDRINUSE' ? `Port ${port} is in use. ${remedy}` : message));
    });
    server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port));
  });

/** Accepts no more requests, and waits until running requests are answered, but at most this long. */
export const closeServer = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
  });
