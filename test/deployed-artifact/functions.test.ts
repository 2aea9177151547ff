import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SQSRecord } from 'aws-lambda';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { bundleName } from '#infra/build/bundle.ts';
import { isConsumer } from '#shared/platform/declarations/worker.ts';
import { isPublic, type PublicOperation } from '#shared/platform/http/endpoint.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { matrix } from '#test/support/requests/requests.ts';
import type { Caller } from '#test/support/service/client.ts';
import { AUDIENCE, ISSUER, type RunningIssuer, startIssuer } from '#test/support/service/issuer.ts';
import { recordOf } from '#test/support/service/workers.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { type Engines, startEngines } from './engines.ts';
import { ORIGIN, probe } from './probe.ts';
import { type SynthesizedStack, synthesize } from './synthesize.ts';

const LIMIT_CENTS = 500;
/** An account that only one test uses. */
const OWN_ACCOUNT = { account: 'acct_alone' };

let directory: string;
let issuer: RunningIssuer;
let engines: Engines;
let synthesized: SynthesizedStack;
let environment: Record<string, string>;
let deployment: Deployment;

/** Every value differs from the default of its variable. */
const context = (jwksUrl: string) => ({
  issuer: ISSUER,
  audience: AUDIENCE,
  jwksUrl,
  accountClaim: 'custom:account',
  scopeClaim: 'custom:scope',
  roleClaim: 'custom:role',
  corsOrigins: ORIGIN,
  clerkPaymentLimitCents: String(LIMIT_CENTS),
});

const token = ({ sub = 'user_1', account = 'acct_1', scope, role = scope ? undefined : 'admin' }: Caller) => {
  const now = Math.floor(Date.now() / 1000);
  const customClaims = { 'custom:account': account, 'custom:scope': scope, 'custom:role': role };
  return issuer.sign({ iss: ISSUER, aud: AUDIENCE, iat: now, exp: now + 3600, sub, ...customClaims });
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'deployed-artifact-'));
  [issuer, engines] = await Promise.all([startIssuer(), startEngines()]);
  synthesized = await synthesize(directory, context(issuer.jwksUrl));
  environment = await engines.create(synthesized.resources);
  deployment = startDeployment(synthesized, engines, environment, token);
});
afterAll(async () => {
  await deployment?.stop();
  await Promise.all([engines?.stop(), issuer?.close(), rm(directory, { recursive: true })]);
});

test.each(matrix)('%s: succeeds as deployed', async (_, version, __, operation) => {
  expect(await probe(deployment, operation, version)).toBeUndefined();
});

/** Values for the path parameters of public endpoints; the names of scripts have a hash. */
const parameters: Readonly<Record<string, () => Promise<string>>> = {
  code: async () => 'not-found',
  file: async () => {
    const { text } = await deployment.send('/docs');
    return /docs\/(app\.[\w-]+\.js)/.exec(text)?.[1] ?? 'none';
  },
};

const publicEndpoints = Object.entries(endpoints).filter(
  (entry): entry is [string, PublicOperation] => isPublic(entry[1]) && entry[1].route !== DEFAULT_ROUTE,
);

test.each(publicEndpoints)('%s: succeeds as deployed, without a token', async (_, endpoint) => {
  let { path } = endpoint;
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g))
    path = path.replace(`{${name}}`, (await parameters[name]?.()) ?? '');
  const { status, headers, text } = await deployment.send(path, {
    headers: { authorization: undefined, origin: ORIGIN },
  });
  const expected = endpoint.redirectsTo ? 303 : 200;
  expect([path, status, headers['access-control-allow-origin']]).toEqual([path, expected, ORIGIN]);
  expect([headers['location'], text === '']).toEqual([endpoint.redirectsTo, expected === 303]);
});

test('a request without a route: 404 or 405 as a problem [CONTRACT §4]', async () => {
  const { status, json } = await deployment.send('/v1/nothing');
  expect([status, json.code]).toEqual([404, 'not-found']);
  const other = await deployment.send('/v1/invoices', { method: 'DELETE' });
  expect([other.status, other.json.code, other.headers['allow']]).toEqual([
    405,
    'method-not-allowed',
    'GET, HEAD, POST, OPTIONS',
  ]);
});

test('a function that throws: Lambda reports its error, and the log names the source file', async () => {
  await expect(deployment.invoke('service-health', { Records: [] })).rejects.toThrow(/^servicehealth\w+: TypeError: /);
  expect(await deployment.log('service-health')).toMatch(/shared\/platform\/\S+\.ts:\d+:\d+/);
});

describe('the workers', () => {
  /** Receives every message in the queue, also messages of earlier tests. */
  const waiting = async (): Promise<SQSRecord[]> => {
    const messages = await engines.receive();
    const records = messages.map(({ Body = '' }) => recordOf(Body));
    return messages.length === 0 ? [] : [...records, ...(await waiting())];
  };

  test('an export: goes from POST through its message to its file [CONTRACT §9]', async () => {
    const { json: customer } = await deployment.send('/v1/customers', {
      method: 'POST',
      body: { name: 'Ada' },
      as: OWN_ACCOUNT,
    });
    const body = { type: 'customers', format: 'jsonl' };
    const requested = await deployment.send('/v1/exports', { method: 'POST', body, as: OWN_ACCOUNT });
    const Records = (await waiting()).filter(({ body }) => JSON.parse(body).export_id === requested.json.id);
    expect(Records).toHaveLength(1);
    expect(await deployment.invoke('workers-export', { Records })).toEqual({ batchItemFailures: [] });
    const { json: job } = await deployment.send(requested.headers['location'] as string, { as: OWN_ACCOUNT });
    expect([job.status, job.row_count]).toEqual(['completed', 1]);
    const file = await deployment.send(job.file_url, { as: OWN_ACCOUNT });
    expect(file.status).toBe(303);
    const downloaded = await fetch(file.headers['location'] as string);
    expect([downloaded.status, await downloaded.json()]).toEqual([200, customer]);
  });

  test.each(Object.entries(workers))('%s without work: starts as deployed, and does nothing', async (file, worker) => {
    const answer = await deployment.invoke(bundleName(file), 'minutes' in worker.trigger ? {} : { Records: [] });
    expect(answer).toEqual(isConsumer(worker) ? { batchItemFailures: [] } : null);
  });
});

test.each(Object.keys({ ...endpoints, ...workers }).map(bundleName))(
  '%s: logs once that V8 accepted the code cache',
  async (name) => {
    await deployment.invoke(name, {}).catch(() => {});
    const lines = (await deployment.log(name)).match(/"code_cache":"\w+"/g);
    expect(lines).toEqual(['"code_cache":"accepted"']);
  },
);

describe('settings of the stage', () => {
  const pay = async (amount_cents: number, caller: Caller) => {
    const { json } = await deployment.send('/v1/invoices', { method: 'POST', body: { total_cents: 10_000 } });
    const headers = { 'idempotency-key': randomUUID() };
    const body = { invoice_id: json.id, amount_cents };
    return deployment.send('/v1/payments', { method: 'POST', headers, body, as: caller });
  };

  test('clerkPaymentLimitCents: a clerk may pay up to it, and not more [CONTRACT §2]', async () => {
    const clerk = { role: 'clerk', sub: 'user_2' };
    expect((await pay(LIMIT_CENTS, clerk)).status).toBe(201);
    expect((await pay(LIMIT_CENTS + 1, clerk)).json.code).toBe('policy-denied');
  });

  test('scopeClaim: the token’s scopes are read from that claim [CONTRACT §2]', async () => {
    expect((await pay(1, { scope: 'payments:read', role: 'admin' })).json.code).toBe('insufficient-scope');
  });
});
