import { S3Client } from '@aws-sdk/client-s3';
import { clientOptions } from './client-options.ts';

/** A part of 8 MiB takes its time. */
const REQUEST_MS = 10_000;

/**
 * The S3 client; a local engine, with an address of its own, knows paths only. The SDK would add a CRC32 to each part of an
 * upload; S3 accepts such parts only in an upload that was created for that algorithm. The signature covers a part's SHA-256
 * anyway, and the export has the SHA-256 of the whole file.
 */
export const s3 = (): S3Client =>
  new S3Client({
    ...clientOptions(REQUEST_MS),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    forcePathStyle: Boolean(process.env['AWS_ENDPOINT_URL_S3']),
  });
