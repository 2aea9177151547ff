import { S3Client } from '@aws-sdk/client-s3';
import { clientOptions } from './client-options.ts';

/** A part of 8 MiB takes its time. */
const REQUEST_MS = 10_000;

/** The S3 client; a local engine, with an address of its own, knows paths only. */
export const s3 = (): S3Client =>
  new S3Client({ ...clientOptions(REQUEST_MS), forcePathStyle: Boolean(process.env['AWS_ENDPOINT_URL_S3']) });
