import type { Storage } from '#local/settings/settings.ts';
import { setCredentials } from './credentials.ts';
import { openDatabase } from './database.ts';
import type { RunningEngine } from './engine.ts';
import { writeEnginesFile } from './engines-file.ts';
import { openQueueAndFiles } from './queue-and-files.ts';

interface OpenEngines {
  readonly isQueueEmbedded: boolean;
  /** Resolves with a message when an embedded engine has ended without `stop`. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

const unexpectedEnd = (name: string, engine: RunningEngine | undefined): Promise<string> =>
  engine
    ? engine.ended.then(
        () => `The embedded ${name} has stopped unexpectedly, so the server stops too. Start it again with npm start.`,
      )
    : new Promise(() => {});

export const openEngines = async (environment: NodeJS.ProcessEnv, storage: Storage): Promise<OpenEngines> => {
  const before = { ...environment };
  setCredentials(environment);
  const [database, { engine, isQueueEmbedded }] = await Promise.all([
    openDatabase(environment, storage.database),
    openQueueAndFiles(environment, storage.database && storage.directory),
  ]);
  await writeEnginesFile(storage.directory, before, environment);
  let isRunning = true;
  const ends = [unexpectedEnd('DynamoDB', database), unexpectedEnd('SQS and S3', engine)];
  return {
    isQueueEmbedded,
    ended: new Promise((resolve) => {
      for (const end of ends) void end.then((message) => isRunning && resolve(message));
    }),
    async stop() {
      isRunning = false;
      await Promise.all([database?.stop(), engine?.stop()]);
    },
  };
};
