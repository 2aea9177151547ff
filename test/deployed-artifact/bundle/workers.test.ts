import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { workers } from '#functions/workers.ts';
import { bundle, bundleName } from '#infra/build/bundle.ts';
import { tableVariables } from '#local/engines/tables.ts';

/** Half of it is the S3 client. A worker's cold start delays no client. */
const MOST_BYTES = 504_000;

let directory: string;
beforeAll(async () => {
  // Outside of the repository, because node_modules would hide a missing module.
  directory = await mkdtemp(join(tmpdir(), 'workers-'));
  await bundle(directory);
});
afterAll(() => rm(directory, { recursive: true }));

/** Loads a bundle as Lambda does, which rejects a handler with three parameters. */
const LOAD = 'const { handler } = await import(process.argv[1]); console.log(typeof handler, handler.length < 3);';
/** Calls the handler with an event without messages. */
const CALL = 'const { handler } = await import(process.argv[1]); console.log(await handler({ Records: [] }, {}));';

const ENVIRONMENT = {
  ...tableVariables(),
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'a',
  AWS_SECRET_ACCESS_KEY: 'b',
  EXPORTS_QUEUE_URL: 'https://sqs.test/exports',
  DELIVERIES_QUEUE_URL: 'https://sqs.test/deliveries',
  EXPORTS_BUCKET: 'exports',
};

const index = (name: string): string => join(directory, name, 'index.mjs');

const run = async (program: string, name: string): Promise<string> => {
  const args = ['--input-type=module', '-e', program, index(name)];
  return (await promisify(execFile)(process.execPath, args, { cwd: directory, env: ENVIRONMENT })).stdout;
};

describe.each(Object.keys(workers).map(bundleName))('the bundle %s', (name) => {
  test(`its size: at most ${MOST_BYTES} bytes`, async () => {
    expect((await stat(index(name))).size).toBeLessThanOrEqual(MOST_BYTES);
  });

  test('its handler: loads with the deployed variables and no other modules', async () => {
    expect(await run(LOAD, name)).toBe('function true\n');
  });
});

test('an empty batch: the bundle workers-export returns no failures', async () => {
  expect(await run(CALL, 'workers-export')).toBe('{ batchItemFailures: [] }\n');
});
