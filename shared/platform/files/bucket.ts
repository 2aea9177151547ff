import { S3Client } from '@aws-sdk/client-s3';
import { clientOptions } from '#shared/platform/dynamodb/client-options.ts';

/**
 * The time is enough for a part of 8 MiB. There is no socket timeout, because the completion of an upload can pause for
 * minutes: the deadline of the worker ends a call whose body stops.
 */
const TIMEOUTS = { requestTimeout: 10_000 };

/**
 * The embedded S3 supports path-style URLs only. By default, the SDK would add a CRC32 to each part, which S3 accepts
 * only in an upload created for it. The signature covers each part's SHA-256 anyway.
 */
export const createS3Client = (): S3Client =>
  new S3Client({
    ...clientOptions(TIMEOUTS),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    forcePathStyle: Boolean(process.env['AWS_ENDPOINT_URL_S3']),
  });
