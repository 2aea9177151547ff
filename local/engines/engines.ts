import type { Storage } from '#local/settings/settings.ts';
import { openDatabase } from './database.ts';
import type { RunningEngine } from './dynamodb.ts';
import { forgetKeys } from './embedded.ts';
import { writeEnginesFile } from './engines-file.ts';
import { openQueueAndFiles } from './queue-and-files.ts';

/** The engines that the service runs on. */
export interface OpenEngines {
  /** Whether SQS is the embedded one. */
  readonly isQueueEmbedded: boolean;
  /** Fulfilled with what to say of it, when an embedded engine has ended without being asked. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

const endOf = (name: string, engine: RunningEngine | undefined): Promise<string> =>
  engine ? engine.ended.then(() => `The embedded ${name} has ended, and with it the service.`) : new Promise(() => {});

/**
 * Opens DynamoDB, SQS and S3: those that the environment names, and embedded ones in the place of the others.
 * @throws Failure when one cannot be used
 */
export const openEngines = async (environment: NodeJS.ProcessEnv, kept: Storage): Promise<OpenEngines> => {
  const given = { ...environment };
  forgetKeys(environment);
  const [database, { engine, isQueueEmbedded }] = await Promise.all([
    openDatabase(environment, kept.database),
    openQueueAndFiles(environment, kept.database && kept.directory),
  ]);
  await writeEnginesFile(kept.directory, given, environment);
  let isWanted = true;
  const ends = [endOf('DynamoDB', database), endOf('SQS and S3', engine)];
  return {
    isQueueEmbedded,
    ended: new Promise((resolve) => {
      for (const end of ends) void end.then((why) => isWanted && resolve(why));
    }),
    async stop() {
      isWanted = false;
      await Promise.all([database?.stop(), engine?.stop()]);
    },
  };
};
