import { findJava } from '#local/engines/dynamodb-local.ts';
import { shareQueueAndFiles } from '#test/support/engine/shared-queue-and-files.ts';
import { shareDynamoDbLocal } from '#test/support/engine/start-engine.ts';

/** Jest's global setup of the project dynamodb-local, which is skipped without Java. */
export default async (): Promise<void> => {
  const java = await findJava();
  await shareQueueAndFiles();
  if (java) return shareDynamoDbLocal(java);
  console.log('Skipped: DynamoDB Local needs Java 17 or newer.');
  process.exit(0);
};
