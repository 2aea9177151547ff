import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Caller, Sent, Service } from '#test/acceptance/suite/service.ts';
import { idsOf } from '../support/pages.ts';
import { endedPeriod } from '../support/prerequisites.ts';
import { outcome } from '../support/requests.ts';
import { CSV, complete } from './completed-export.ts';

const post = (service: Service, body: object, sent: Sent = {}) =>
  service.send('/v1/exports', { method: 'POST', body, ...sent });
/** `Retry-After` of an export with the filter of `endedPeriod`, in seconds. */
const WAITING = expect.stringMatching(/^(1\d|20)$/);
const cancel = (service: Service, id: number, as: Caller = {}) =>
  service.send(`/v1/exports/${id}/cancel`, { method: 'POST', as });

const INVALID: readonly (readonly [body: object, violations: readonly string[]])[] = [
  [{}, ['/type required', '/format required']],
  [{ ...CSV, type: 'invoice-items' }, ['/type not-allowed']],
  [{ ...CSV, type: { toString: null } }, ['/type not-allowed']],
  [{ ...CSV, format: 'xlsx' }, ['/format not-allowed']],
  [{ ...CSV, filter: null }, ['/filter invalid-type']],
  [{ ...CSV, filter: { emial: 'a' } }, ['/filter/emial unknown-field']],
  [{ ...CSV, filter: { status: 'open' } }, ['/filter/status unknown-field']],
  [
    { ...CSV, type: 'payments', filter: { payment_id: 1, invoice_id: 'x' } },
    ['/filter/payment_id unknown-field', '/filter/invoice_id invalid-id'],
  ],
  [
    { ...CSV, type: 'invoices', filter: { status: 'late', customer_id: 0 } },
    ['/filter/status not-allowed', '/filter/customer_id invalid-id'],
  ],
  [{ ...CSV, type: 'invoices', filter: { customer_id: null } }, ['/filter/customer_id invalid-type']],
  [
    { ...CSV, filter: { created_from: '2026-01-01', created_before: 5 } },
    ['/filter/created_from invalid-timestamp', '/filter/created_before invalid-timestamp'],
  ],
  [{ ...CSV, account_id: 'acct_2' }, ['/account_id unknown-field']],
];

export const exportJobs: Group = {
  name: 'Export jobs',
  checks: [
    check('CONTRACT §9', 'POST /exports: 202 with Location, Retry-After, ETag and the job', async (service) => {
      const filter = endedPeriod();
      const { status, headers, json } = await post(service, { ...CSV, filter });
      const { id, created_at } = json;
      expect(status).toBe(202);
      expect(headers).toMatchObject({ location: `/v1/exports/${id}`, etag: '"1"', 'retry-after': WAITING });
      const none = {
        sha256: null,
        file_url: null,
        error: null,
        started_at: null,
        completed_at: null,
        expires_at: null,
      };
      const counts = { row_count: 0, size_bytes: 0 };
      const times = { created_at, updated_at: created_at };
      expect(json).toStrictEqual({ id, ...CSV, filter, status: 'pending', ...counts, ...none, ...times });
      await cancel(service, id);
    }),
    ...INVALID.map(([body, violations]) =>
      check('CONTRACT §4', `POST /exports ${JSON.stringify(body)}: 422`, async (service) => {
        const { status, json } = await post(service, body);
        const found = json.errors?.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);
        expect([status, found.sort()]).toEqual([422, violations.toSorted()]);
      }),
    ),
    check('CONTRACT §4', 'read-only fields in the body: ignored', async (service) => {
      const body = { ...CSV, filter: endedPeriod(), status: 'completed', row_count: 5, file_url: 'x' };
      const { status, json } = await post(service, body);
      expect([status, json.status, json.row_count, json.file_url]).toEqual([202, 'pending', 0, null]);
      await cancel(service, json.id);
    }),
    check('CONTRACT §2', 'no scope to read the exported type: 403, also instead of a replay', async (service) => {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { ...CSV, filter: endedPeriod() };
      const { json } = await post(service, body, { headers });
      for (const more of [{}, { headers }]) {
        const answer = await post(service, body, { as: { scope: 'exports:write invoices:read' }, ...more });
        expect(outcome(answer)).toEqual([403, 'insufficient-scope']);
        expect(answer.headers['www-authenticate']).toContain('scope="customers:read"');
      }
      await cancel(service, json.id);
    }),
    check(
      'CONTRACT §9',
      'an unfinished export: has Retry-After; a completed export: has the path of its file',
      async (service) => {
        const { json } = await post(service, { ...CSV, filter: endedPeriod() });
        const before = await service.send(`/v1/exports/${json.id}`);
        expect([before.status, before.headers['retry-after'], before.json.file_url]).toEqual([200, WAITING, null]);
        await cancel(service, json.id);
        const { id } = await complete(service, CSV);
        for (const version of ['v1', 'v2']) {
          const { headers, json: job } = await service.send(`/${version}/exports/${id}`);
          expect([headers['retry-after'], job.file_url]).toEqual([undefined, `/${version}/exports/${id}/file`]);
          expect(Date.parse(job.expires_at) - Date.parse(job.completed_at)).toBe(7 * 86_400_000);
          const times = [job.created_at, job.started_at, job.completed_at];
          expect(times).toEqual(times.toSorted());
        }
        const part = await service.send(`/v1/exports/${id}?fields=file_url`);
        expect([part.json, part.headers['retry-after']]).toEqual([{ file_url: `/v1/exports/${id}/file` }, undefined]);
        expect((await service.send(`/v1/exports/${id}`, { headers: { 'if-none-match': '"1"' } })).status).toBe(200);
      },
    ),
    check(
      'CONTRACT §7',
      'an unfinished export: private, no-cache, also for 304; a canceled export: max-age=60',
      async (service) => {
        const { json } = await post(service, { ...CSV, filter: endedPeriod() });
        const path = `/v1/exports/${json.id}`;
        const cached = async (headers = {}) => {
          const answer = await service.send(path, { headers });
          return [answer.status, answer.headers['cache-control']];
        };
        expect(await cached()).toEqual([200, 'private, no-cache']);
        expect(await cached({ 'if-none-match': '"1"' })).toEqual([304, 'private, no-cache']);
        await cancel(service, json.id);
        expect(await cached()).toEqual([200, 'private, max-age=60']);
      },
    ),
    check('CONTRACT §12', 'cancel of a pending export: 200, no file; again: nothing changes', async (service) => {
      const { json } = await post(service, { ...CSV, filter: endedPeriod() });
      expect(outcome(await service.send(`/v1/exports/${json.id}/file`))).toEqual([409, 'export-not-ready']);
      const first = await cancel(service, json.id);
      expect([first.status, first.json.status, first.headers['etag']]).toEqual([200, 'canceled', '"2"']);
      const again = await cancel(service, json.id);
      expect([again.status, again.text, again.headers['etag']]).toEqual([200, first.text, '"2"']);
      expect(outcome(await service.send(`/v1/exports/${json.id}/file`))).toEqual([409, 'export-not-ready']);
      expect((await service.send(`/v1/exports/${json.id}`)).headers['retry-after']).toBeUndefined();
    }),
    check('CONTRACT §12', 'cancel of a completed export: 409, and its file stays', async (service) => {
      const { id } = await complete(service, CSV);
      expect(outcome(await cancel(service, id))).toEqual([409, 'export-not-cancelable']);
      expect((await service.send(`/v1/exports/${id}/file`)).status).toBe(303);
    }),
    check('CONTRACT §4', 'exports by status, by type and by both: only the matching exports', async (service) => {
      const done = await complete(service, CSV);
      const filter = endedPeriod();
      const { id } = (await post(service, { type: 'invoices', format: 'jsonl', filter })).json;
      const found = async (query: string) =>
        idsOf(await service.send(`/v1/exports?created_from=${done.created_at}&${query}`));
      expect(await found('')).toEqual([done.id, id]);
      expect(await found('status=completed')).toEqual([done.id]);
      expect(await found('type=invoices')).toEqual([id]);
      expect(await found('type=invoices&status=pending')).toEqual([id]);
      expect(await found('type=invoices&status=completed')).toEqual([]);
      await cancel(service, id);
    }),
    check('CONTRACT §10', 'the 21st unfinished export: 429 with Retry-After; a replay succeeds', async (service) => {
      const as = { account: 'empty' };
      const filter = endedPeriod();
      const start = (headers: Sent['headers'] = {}) => post(service, { ...CSV, filter }, { as, headers });
      const key = { 'idempotency-key': randomUUID() };
      const first = await start(key);
      const answers = await Promise.all(Array.from({ length: 24 }, () => start()));
      const accepted = [first, ...answers].filter(({ status }) => status === 202);
      const refused = answers.filter(({ status }) => status !== 202);
      expect([accepted.length, refused.map(outcome)]).toEqual([20, Array(5).fill([429, 'too-many-exports'])]);
      expect(refused[0]?.headers['retry-after']).toBe('10');
      expect(refused[0]?.json.detail).toMatch(/20 unfinished exports/);
      const again = await start(key);
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
      const reused = await post(service, { ...CSV, format: 'jsonl' }, { as, headers: key });
      expect(outcome(reused)).toEqual([422, 'idempotency-key-reused']);
      const dry = await service.send('/v1/exports?dry_run=true', { method: 'POST', body: CSV, as });
      expect([...outcome(dry), dry.headers['dry-run']]).toEqual([429, 'too-many-exports', 'true']);
      const own = await post(service, { ...CSV, filter });
      expect(own.status).toBe(202);
      await cancel(service, own.json.id);
      await cancel(service, first.json.id, as);
      await cancel(service, first.json.id, as);
      const replacement = await start();
      expect([replacement.status, (await start()).status]).toEqual([202, 429]);
      for (const { json } of [...accepted, replacement]) await cancel(service, json.id, as);
    }),
  ],
};
