import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { bundle, bundleName } from '#infra/build/bundle.ts';
import { CODE_CACHE } from '#infra/build/code-cache/code-caches.ts';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import { type Endpoint, isPublic } from '#shared/platform/http/endpoint.ts';
import type { Sent } from '#test/support/service/client.ts';
import { eventOf } from '#test/support/service/event.ts';
import { type RunningIssuer, startIssuer } from '#test/support/service/issuer.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';

/** Maximum bytes of a bundle, with the fields of the rows that it writes; the SQS client has 23,000. */
const LIMIT = { usual: 373_400, withQueue: 396_700 };
/** Maximum bytes of a bundle and its code cache together, which varies by 2 %: a cache is 2.5 to 2.8 times as large as its code. */
const CACHED_LIMIT = 1_500_000;

const limitOf = (name: string): number => {
  const endpoint = Object.entries(endpoints).find(([file]) => bundleName(file) === name)?.[1];
  return endpoint && !isPublic(endpoint) && endpoint.sendsTo ? LIMIT.withQueue : LIMIT.usual;
};
/** Maximum bytes of a worker's bundle. Half of it is the S3 client. A worker's cold start delays no client. */
const WORKER_LIMIT = 514_300;
/** Lambda's limit of a result. */
const MAX_RESULT_BYTES = 6 * 1024 * 1024;

const names = (which: (endpoint: Endpoint) => boolean = () => true): string[] =>
  Object.entries(endpoints).flatMap(([file, endpoint]) => (which(endpoint) ? bundleName(file) : []));

/**
 * The files next to a bundle that its endpoint serves. The endpoint reads them on request, so they do not slow down the
 * cold start.
 */
const filesOf = (name: string): readonly string[] =>
  Object.entries(endpoints).flatMap(([file, endpoint]) =>
    bundleName(file) === name && isPublic(endpoint) ? (endpoint.files ?? []) : [],
  );

let directory: string;
beforeAll(async () => {
  // Outside of the repository, because node_modules would hide a missing module.
  directory = await mkdtemp(join(tmpdir(), 'bundles-'));
  await bundle(directory);
});
afterAll(() => rm(directory, { recursive: true }));

const index = (name: string): string => join(directory, name, 'index.cjs');
const script = (name: string): string => join(directory, name, 'bundle.js');
const bytesOf = async (path: string): Promise<number> => (await stat(path)).size;

describe.each(names())('the bundle %s', (name) => {
  test(`its folder: a bundle of at most ${limitOf(name)} bytes, its cache and map, the loader and the files that the endpoint serves, nothing else`, async () => {
    const entries = await readdir(join(directory, name), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((file) => join(file.parentPath, file.name));
    const served = filesOf(name).map((file) => join(directory, name, file));
    const cache = join(directory, name, CODE_CACHE);
    expect(files.sort()).toEqual([index(name), script(name), `${script(name)}.map`, cache, ...served].sort());
    const bytes = await bytesOf(script(name));
    expect(bytes).toBeLessThanOrEqual(limitOf(name));
    expect(bytes + (await bytesOf(cache))).toBeLessThanOrEqual(CACHED_LIMIT);
  });

  test('its imports: no static and no dynamic import', async () => {
    const { metafile } = await build({
      entryPoints: [script(name)],
      bundle: true,
      write: false,
      metafile: true,
      outdir: directory,
      format: 'esm',
      platform: 'node',
      packages: 'external',
    });
    expect(Object.values(metafile.inputs).flatMap(({ imports }) => imports)).toEqual([]);
  });
});

test.each(Object.keys(workers).map(bundleName))(`the bundle %s: at most ${WORKER_LIMIT} bytes`, async (name) => {
  expect(await bytesOf(script(name))).toBeLessThanOrEqual(WORKER_LIMIT);
});

test.each(names(isPublic))('the public bundle %s: contains no AWS SDK', async (name) => {
  const found = /@aws-sdk|aws-sdk-js|@smithy|AWS4-HMAC/.exec(await readFile(script(name), 'utf8'));
  expect(found?.[0]).toBeUndefined();
});

interface Invocation {
  readonly answer: { statusCode: number; headers: Record<string, string>; body: string; isBase64Encoded?: boolean };
  readonly loaded: readonly string[];
  readonly logged: string;
}

const CALL = fileURLToPath(new URL('call.mjs', import.meta.url));

const call = async (name: string, event: GatewayEvent, env: Record<string, string>): Promise<Invocation> => {
  const options = { cwd: directory, env, maxBuffer: MAX_RESULT_BYTES };
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [CALL, index(name), JSON.stringify(event)],
    options,
  );
  const lines = stdout.trimEnd().split('\n');
  return { ...JSON.parse(lines.pop() as string), logged: lines.join('\n') + stderr };
};

test('a public bundle without environment variables: 200', async () => {
  const { answer } = await call('service-health', eventOf('/health', {}), {});
  expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([200, { status: 'ok' }]);
});

describe('bundles with an engine and an issuer', () => {
  let issuer: RunningIssuer;
  let service: LocalService;
  beforeAll(async () => {
    issuer = await startIssuer();
    service = await startService({ JWKS_URL: issuer.jwksUrl }, { issuer });
  });
  afterAll(() => Promise.all([service.stop(), issuer.close()]));

  const send = async (name: string, target: string, sent: Sent, parameters = {}, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${await service.token()}`, ...sent.headers };
    const environment = {
      ...service.environment,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_DYNAMODB: process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string,
      ...more,
    };
    return call(name, eventOf(target, { ...sent, headers }, parameters), environment);
  };

  test('a commit, its replay and a read, each in a process of its own: the same body [CONTRACT §8]', async () => {
    const sent = { method: 'POST', headers: { 'idempotency-key': randomUUID() }, body: { total_cents: 1250 } };
    const { answer: created } = await send('invoices-create', '/v1/invoices', sent);
    expect(created.statusCode).toBe(201);
    const { answer: again } = await send('invoices-create', '/v1/invoices', sent);
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([created.body, 'true']);
    const id = String(JSON.parse(created.body).id);
    const read = await send('invoices-get', `/v1/invoices/${id}`, {}, { invoice_id: id });
    expect([read.answer.statusCode, read.answer.body]).toEqual([200, created.body]);
    expect(read.loaded.filter((module) => /undici|http2|fs\/streams/.test(module))).toEqual([]);
  });

  test('an unexpected error of DynamoDB: 500 internal-error, and its name is logged [CONTRACT §10]', async () => {
    const fault = 'TableInUseException';
    const engine = createServer((_, response) => {
      response
        .writeHead(400)
        .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${fault}`, message: 'So.' }));
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    const { port } = engine.address() as { port: number };
    const other = { AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}` };
    const { answer, logged } = await send('invoices-get', '/v1/invoices/1', {}, { invoice_id: '1' }, other);
    engine.close();
    expect([answer.statusCode, JSON.parse(answer.body).code]).toEqual([500, 'internal-error']);
    expect(logged).toContain(`"name":"${fault}"`);
  });

  test('no credentials in the environment: 500, a logged error, and no other source of credentials is tried', async () => {
    const { answer, logged } = await send(
      'invoices-get',
      '/v1/invoices/1',
      {},
      { invoice_id: '1' },
      { AWS_SECRET_ACCESS_KEY: '' },
    );
    expect(answer.statusCode).toBe(500);
    expect(logged).toContain('Unable to find environment variable credentials.');
  });
});
