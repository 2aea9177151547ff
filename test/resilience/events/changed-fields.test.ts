import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { findChanged } from '#shared/platform/events/changed-since.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { extent } from '#test/support/extent/extent.ts';
import { HiddenItems } from '#test/support/faults/hidden-items.ts';
import fc from '#test/support/random/fast-check.ts';
import type { Answer } from '#test/support/service/client.ts';
import { startService } from '#test/support/service/local-service.ts';
import { newAccount } from '#test/support/service/makers.ts';

/*
 * The member `changed` of a 412 (CONTRACT §7): the union of the fields of all events, which are published, wait in the
 * outbox, or are readable only in part.
 */

const RUNS = extent({ full: 1000, part: 6 });

const service = await startService();
const items = new HiddenItems(service.client);
afterAll(() => service.stop());

type Json = Answer['json'];

interface Member {
  readonly account_id: string;
  readonly path: string;
  /** The states of the member in v1, by version. */
  readonly states: Map<number, Json>;
}

const versionOf = ({ headers }: Answer): number => Number(headers['etag']?.slice(1, -1));

const send = (member: Member, method: string, target: string, body?: object, headers = {}) =>
  service.send(target, { method, as: { account: member.account_id }, headers, ...(body && { body }) });

const observe = async (member: Member): Promise<void> => {
  const answer = await send(member, 'GET', member.path);
  member.states.set(versionOf(answer), answer.json);
};

const refuse = (member: Member, since: string, version = 'v1') =>
  send(member, 'PATCH', member.path.replace('v1', version), {}, { 'if-match': since });

const TEXT = fc.option(fc.constantFrom('a', 'b'));
const invoiceStep = fc.oneof(
  fc.record(
    {
      description: TEXT,
      due_date: fc.option(fc.constantFrom('2026-11-21', '2026-12-01')),
      total_cents: fc.constantFrom(10, 20),
      currency: fc.constantFrom('USD', 'EUR'),
      status: fc.constantFrom('open', 'paid'),
      metadata: fc.constantFrom({ a: '1' }, { b: '2' }, { a: null }),
    },
    { requiredKeys: [] },
  ),
  fc.constant('pay' as const),
  fc.constant('item' as const),
  fc.constant('cancel' as const),
  fc.constant('publish' as const),
);
const customerStep = fc.oneof(
  fc.record(
    { name: fc.constantFrom('a', 'b'), email: fc.option(fc.constantFrom('a@x', 'b@x')), tax_id: TEXT },
    { requiredKeys: [] },
  ),
  fc.constant('publish' as const),
);
type StepOf<A> = A extends fc.Arbitrary<infer S> ? S : never;
type Step = StepOf<typeof invoiceStep> | StepOf<typeof customerStep>;

const history = fc.oneof(
  fc.record({ collection: fc.constant('invoices'), steps: fc.array(invoiceStep, { maxLength: 10 }) }),
  fc.record({ collection: fc.constant('customers'), steps: fc.array(customerStep, { maxLength: 10 }) }),
);

/** A step may be refused; then it changes nothing. */
const act = (member: Member, id: number, step: Step): Promise<Answer> => {
  if (step === 'publish') return send(member, 'GET', '/v1/events?limit=1');
  if (step === 'cancel') return send(member, 'POST', `${member.path}/cancel`);
  if (step === 'pay')
    return send(
      member,
      'POST',
      '/v1/payments',
      { invoice_id: id, amount_cents: 4 },
      { 'idempotency-key': crypto.randomUUID() },
    );
  if (step === 'item')
    return send(member, 'POST', '/v1/invoice-items', { invoice_id: id, description: 'x', unit_amount_cents: 3 });
  return send(member, 'PATCH', member.path, step);
};

const begin = async (collection: string): Promise<{ member: Member; id: number }> => {
  const account_id = newAccount();
  const body = collection === 'invoices' ? { status: 'draft' } : { name: 'n' };
  const answer = await service.send(`/v1/${collection}`, { method: 'POST', body, as: { account: account_id } });
  return { member: { account_id, path: answer.headers['location'] as string, states: new Map() }, id: answer.json.id };
};

/** The names of the fields that differ between two states. */
const differing = (before: Json, after: Json): string[] =>
  Object.keys(after).filter((name) => name !== 'updated_at' && !isDeepStrictEqual(before[name], after[name]));

test(`${RUNS} random histories: changed is the union of the events since the version, with every field that differs [CONTRACT §7]`, async () => {
  const property = fc.asyncProperty(history, fc.nat(), async ({ collection, steps }, chosen) => {
    const { member, id } = await begin(collection);
    await observe(member);
    for (const step of steps) {
      await act(member, id, step);
      await observe(member);
    }
    const versions = [...member.states.keys()].sort((a, b) => a - b);
    const current = versions.at(-1) as number;
    const since = versions[chosen % versions.length] as number;
    if (since === current) return expect((await refuse(member, `"${since}"`)).status).toBe(200);
    const answers = [await refuse(member, `"${since}"`), await refuse(member, `W/"${since}-7"`, 'v2')];
    const { data } = (await send(member, 'GET', `/v1/events?resource_id=${id}&limit=100`)).json;
    const events = data.filter((event: Json) => `${event.resource_type}s` === collection && event.version > since);
    const union = [...new Set(events.flatMap(({ changed }: Json) => changed))].sort();
    for (const { status, json } of answers) expect([status, json.changed]).toEqual([412, union]);
    expect(union).toEqual(expect.arrayContaining(differing(member.states.get(since), member.states.get(current))));
    // The events are published now.
    expect((await refuse(member, `"${since}"`)).json.changed).toEqual(union);
  });
  await fc.assert(property, { numRuns: RUNS });
});

const changedTwice = async (): Promise<Member> => {
  const { member } = await begin('customers');
  await send(member, 'PATCH', member.path, { name: 'a' });
  await send(member, 'PATCH', member.path, { email: 'a@example.com' });
  return member;
};

test.each([
  ['the last change waits, and is hidden from the first read', false, 'outbox'],
  ['the changes are events, and the last one is hidden from the first read', true, 'events'],
])('%s: 412 with all changed fields', async (_, isPublished, table) => {
  const member = await changedTwice();
  if (isPublished) await send(member, 'GET', '/v1/events');
  let left = 1;
  items.hide((item) => item.table === table && item.id < Number.MAX_SAFE_INTEGER && left-- > 0);
  const answer = await refuse(member, '"1"');
  items.hide();
  expect([answer.status, answer.json.changed]).toEqual([412, ['email', 'name']]);
});

test('an outbox that one query does not read to its end: 412 without changed, after one read [CONTRACT §7]', async () => {
  let reads = 0;
  const outbox = {
    readWaiting: async () => {
      reads += 1;
      throw new ProblemError('unavailable', {});
    },
  };
  const events = { list: async () => ({ data: [], rows: [], has_more: false }) } as never;
  const resource = { type: 'customer', events: {} };
  expect(await findChanged({ outbox, events }, resource, { id: 1, since: 1, version: 2 })).toBeUndefined();
  expect(reads).toBe(1);
});

deepTest('a change that stays unreadable: 412 without changed, because it would be incomplete', async () => {
  const member = await changedTwice();
  items.hide((item) => item.table === 'outbox' && item.id < Number.MAX_SAFE_INTEGER);
  const answer = await refuse(member, '"1"');
  items.hide();
  expect([answer.status, answer.headers['etag'], 'changed' in answer.json]).toEqual([412, '"3"', false]);
});
