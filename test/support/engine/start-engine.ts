import { CliError } from '#local/cli/cli-error.ts';
import { requireJava } from '#local/engines/dynamodb.ts';
import { startDynamoDbLocal } from '#local/engines/dynamodb-local.ts';
import { findDynoxide } from '#local/engines/dynoxide.ts';
import type { RunningEngine } from '#local/engines/engine.ts';
import { shareQueueAndFiles } from './shared-queue-and-files.ts';

/** A longer timeout than with dynoxide, which is faster; environment variables override it. */
const SETTINGS = { GIVE_UP_MS: '1600' };

/** With the optimizing compiler, because many requests follow. */
const LONG_RUNNING_JVM = ['-Xmx1g', '-XX:+UseSerialGC'];

let engine: RunningEngine | undefined;

/** Starts a DynamoDB Local that all tests share (./dynamo.ts). */
export const shareDynamoDbLocal = async (java: string): Promise<void> => {
  engine = await startDynamoDbLocal(java, undefined, LONG_RUNNING_JVM);
  Object.assign(process.env, { ...SETTINGS, ...process.env, DYNAMODB_LOCAL_ENDPOINT: engine.endpoint });
};

export const stopDynamoDbLocal = async (): Promise<void> => engine?.stop();

/**
 * Jest's global setup: shares SQS and S3. Without dynoxide, starts a DynamoDB Local unless the environment names an
 * engine. Without Java either, it prints how to get an engine, and no test runs.
 */
export default async (): Promise<void> => {
  await shareQueueAndFiles();
  try {
    if (!findDynoxide() && !process.env['DYNAMODB_LOCAL_ENDPOINT']) await shareDynamoDbLocal(await requireJava());
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
};
