import { stopQueueAndFiles } from './shared-queue-and-files.ts';
import { stopDynamoDbLocal } from './start-engine.ts';

/** Jest's global teardown. */
export default async (): Promise<void> => {
  await Promise.all([stopDynamoDbLocal(), stopQueueAndFiles()]);
};
