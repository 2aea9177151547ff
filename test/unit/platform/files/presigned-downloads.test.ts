import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { PresignedDownloads } from '#shared/platform/files/presigned-downloads.ts';

const before = { ...process.env };

beforeEach(() => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' });
  delete process.env['AWS_ENDPOINT_URL_S3'];
});
afterEach(() => {
  process.env = { ...before };
});

test.each([
  'us-east-1',
  'eu-central-1',
  'us-gov-west-1',
  'cn-north-1',
  'eusc-de-east-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'us-isof-south-1',
])('a download URL of a bucket in %s: the host of the SDK’s own endpoint rules', async (region) => {
  process.env['AWS_REGION'] = region;
  const client = new S3Client({ region });
  const { url } = client.config.endpointProvider({ Region: region, Bucket: 'files' });
  client.destroy();
  const address = new URL(await new PresignedDownloads('files', 'acct_1').url('7/1.csv', 'customers-7.csv', 'GET'));
  expect([address.host, address.pathname]).toEqual([url.host, '/acct_1/7/1.csv']);
});
