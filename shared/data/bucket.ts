import { S3Client } from '@aws-sdk/client-s3';
import { Sha256 } from './sha256.ts';

const CONNECT_MS = 1000;
/** A part of 8 MiB takes its time. */
const REQUEST_MS = 10_000;
const ATTEMPTS = 3;

/** The S3 client: explicit timeouts, a few attempts; a local engine, with an address of its own, knows paths only. */
export const s3 = (): S3Client =>
  new S3Client({
    maxAttempts: ATTEMPTS,
    sha256: Sha256,
    forcePathStyle: Boolean(process.env['AWS_ENDPOINT_URL_S3']),
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true },
  });
