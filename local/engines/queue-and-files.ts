import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CliError } from '#local/cli/cli-error.ts';
import { BUCKET_VARIABLE } from '#shared/invoicing/queues.ts';
import type { RunningEngine } from './engine.ts';
import { startFauxqs } from './fauxqs/fauxqs.ts';

const SQS = 'AWS_ENDPOINT_URL_SQS';
const S3 = 'AWS_ENDPOINT_URL_S3';

interface OpenQueueAndFiles {
  /** Runs unless the environment names both SQS and S3. */
  readonly engine: RunningEngine | undefined;
  readonly isQueueEmbedded: boolean;
}

const openBucket = async (endpoint: string, Bucket: string): Promise<void> => {
  const client = new S3Client({ endpoint, forcePathStyle: true });
  try {
    const exists = await client.send(new HeadBucketCommand({ Bucket })).then(
      () => true,
      (error: Error) => error.name !== 'NotFound' && Promise.reject(error),
    );
    if (!exists) await client.send(new CreateBucketCommand({ Bucket }));
  } catch (error) {
    throw new CliError(
      `Cannot create the bucket ${Bucket} at AWS_ENDPOINT_URL_S3=${endpoint}: ${(error as Error).message}`,
    );
  } finally {
    client.destroy();
  }
};

/**
 * Opens the SQS and the S3 that the environment names, or starts the embedded engine for SQS, S3 or both. Creates the
 * bucket if it is missing.
 * @param directory stores the engine's data; in memory without it
 */
export const openQueueAndFiles = async (
  environment: NodeJS.ProcessEnv,
  directory: string | undefined,
): Promise<OpenQueueAndFiles> => {
  const embedded = [SQS, S3].filter((variable) => !environment[variable]);
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'] as string;
  const engine = embedded.length > 0 ? await startFauxqs({ directory, secretAccessKey }) : undefined;
  for (const variable of embedded) environment[variable] = engine?.endpoint;
  try {
    await openBucket(environment[S3] as string, environment[BUCKET_VARIABLE] as string);
  } catch (error) {
    await engine?.stop();
    throw error;
  }
  return { engine, isQueueEmbedded: embedded.includes(SQS) };
};
