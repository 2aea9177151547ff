import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { matrix } from '#test/support/requests/requests.ts';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { needsOf, prepare } from '../support/prerequisites.ts';
import { JSON_TYPE, outcome, pointersOf, post, totalOf } from '../support/requests.ts';

const service = await openService();

/** The resource that an operation creates. */
const resourceOf = ({ body, returns }: Operation) => {
  const { 201: created, 202: accepted } = returns;
  const resource = created ?? accepted;
  return body !== undefined && resource?.create === body ? resource : undefined;
};

/** Ignored in every body. */
const IGNORED = { id: 'x', created_at: null, updated_at: 7 };

const namesOf = (operation: Operation, version: Version): string[] =>
  Object.entries(resourceOf(operation)?.fields[version] ?? {}).flatMap(([name, { access }]) =>
    access === 'read-only' && !(name in IGNORED) ? [name] : [],
  );

const creations = matrix.filter(([, , , operation]) => resourceOf(operation));

describe('Read-only fields of a creation', () => {
  for (const [title, version, , operation] of creations) {
    const names = namesOf(operation, version);
    testWith(...needsOf(operation))(
      `${title}, ${names.length} read-only fields with other values: 422 at each; with those of the created member: accepted [CONTRACT §4]`,
      async () => {
        const { target, sent } = await prepare(service, operation, version);
        const collection = target.replace('v2', 'v1').slice('/v1'.length);
        const body = sent.body as object;
        const dryRun = { ...sent, headers: { ...sent.headers, 'idempotency-key': randomUUID() } };
        const { json } = await service.send(`${target}?dry_run=true`, dryRun);
        const same = Object.fromEntries(names.map((name) => [name, json[name]]));
        const before = await totalOf(service, collection);
        const wrong = Object.fromEntries(names.map((name) => [name, ['another value']]));
        const refused = await service.send(target, { ...sent, body: { ...body, ...IGNORED, ...wrong } });
        if (names.length > 0) {
          expect(outcome(refused)).toEqual([422, 'validation-failed']);
          expect(pointersOf(refused).sort()).toEqual(names.map((name) => `/${name}`).sort());
          expect(new Set(refused.json.errors.map(({ code }: { code: string }) => code))).toEqual(
            new Set(['read-only']),
          );
          expect(await totalOf(service, collection)).toBe(before);
        }
        const accepted = await service.send(target, { ...sent, body: { ...body, ...IGNORED, ...same } });
        expect(accepted.status).toBeLessThan(300);
        if (!('secret' in same)) expect(accepted.json).toMatchObject(same);
      },
    );
  }

  for (const [version, name, amount] of [
    ['v1', 'amount_cents', (cents: number) => cents],
    ['v2', 'amount', (cents: number) => ({ amount: cents, currency: 'USD' })],
  ] as const)
    test(`${version}, items of a new invoice: their amounts must be theirs, at /items/<index>/${name} [CONTRACT §4]`, async () => {
      const unit = version === 'v1' ? { unit_amount_cents: 5 } : { unit_amount: { amount: 5 } };
      const items = [2, 3].map((quantity) => ({ description: 'Work', quantity, ...unit, ...IGNORED }));
      const send = (amounts: readonly unknown[]) =>
        post(service, `/${version}/invoices`, { items: items.map((item, i) => ({ ...item, [name]: amounts[i] })) });
      expect((await send([amount(10), amount(15)])).status).toBe(201);
      const refused = await send([amount(10), amount(16)]);
      expect(refused.json.errors).toEqual([
        {
          pointer: `/items/1/${name}`,
          code: 'read-only',
          detail: `is read-only: it must be absent or ${JSON.stringify(amount(15))}`,
        },
      ]);
    });

  test('a money object without the currency: accepted; with another currency: 422 [CONTRACT §4, §12]', async () => {
    const body = { total: { amount: 5, currency: 'EUR' } };
    const send = (amount_due: object) => post(service, '/v2/invoices', { ...body, amount_due });
    expect((await send({ amount: 5 })).status).toBe(201);
    expect((await send({ amount: 5, currency: 'EUR' })).status).toBe(201);
    expect(pointersOf(await send({ amount: 5, currency: 'USD' }))).toEqual(['/amount_due']);
    expect(pointersOf(await send({}))).toEqual(['/amount_due']);
  });

  test('another read-only value under a used key: the record decides [CONTRACT §4, §12]', async () => {
    const headers = { ...JSON_TYPE, 'idempotency-key': randomUUID() };
    const send = (body: object) => service.send('/v1/invoices', { method: 'POST', body, headers });
    expect((await send({ total_cents: 5 })).status).toBe(201);
    const answer = await send({ total_cents: 5, amount_paid_cents: 5 });
    expect(outcome(answer)).toEqual([422, 'idempotency-key-reused']);
  });

  test('a refusal of another rule: precedes a read-only field [CONTRACT §4]', async () => {
    const { json } = await post(service, '/v1/invoices', { total_cents: 5 });
    const body = { invoice_id: json.id, amount_cents: 6, status: 'failed' };
    const answer = await post(service, '/v1/payments', body, { headers: { 'idempotency-key': randomUUID() } });
    expect(outcome(answer)).toEqual([422, 'amount-exceeds-due']);
  });
});
