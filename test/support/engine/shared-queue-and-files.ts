import { createServer } from 'node:http';
import { openPort } from '#local/cli/open-port.ts';
import type { RunningEngine } from '#local/engines/engine.ts';
import { startFauxqs } from '#local/engines/fauxqs/fauxqs.ts';

/** The variable with the address that starts the engine. */
export const ENGINE_STARTER = 'QUEUE_AND_FILES_STARTER_URL';

let engine: Promise<RunningEngine> | undefined;

const start = (): Promise<RunningEngine> =>
  startFauxqs({ directory: undefined, secretAccessKey: process.env['AWS_SECRET_ACCESS_KEY'] ?? 'local' });

const server = createServer(async (_, response) => {
  engine ??= start();
  // A process that was busy for five seconds would send its next request on a connection that was closed meanwhile.
  response.setHeader('connection', 'close').end((await engine).endpoint);
});

/**
 * Shares one SQS and S3 among all test files, each of which has its own queue and bucket. Starting an engine costs 0.8 s
 * of CPU time, so it starts when the first test file asks for its address.
 */
export const shareQueueAndFiles = async (): Promise<void> => {
  process.env[ENGINE_STARTER] = `http://127.0.0.1:${await openPort(server, 0, '')}`;
};

export const stopQueueAndFiles = async (): Promise<void> => {
  server.close();
  server.closeAllConnections();
  await (await engine)?.stop();
};
