import { expect } from 'expect';
import { isWrite, type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { type Check, check, type Group } from '#test/acceptance/suite/check.ts';
import type { Answer, Sent, Service } from '#test/acceptance/suite/service.ts';
import { otherBodyOf, request } from '#test/support/requests/requests.ts';
import { type Call, inTurn, prepare, prepareShared } from '../support/prerequisites.ts';
import { changesNothing, clause, dryHeader, dryRunOf, memberOf, send, sendBoth, withMore } from './calls.ts';

/** Requests that are refused before the handler runs. An operation that ignores the cause responds as without it. */
const REFUSED: readonly (readonly [cause: string, status: number, more: Sent])[] = [
  ['no token', 401, { as: 'nobody' }],
  ['no scope', 403, { as: { scope: 'events:read' } }],
  ['an unknown field', 422, { body: { nonsense: 1 } }],
  ['no Content-Type', 415, { body: '{}' }],
  ['malformed JSON', 400, { body: '{', headers: { 'content-type': 'application/json' } }],
  ['a malformed key', 400, { headers: { 'idempotency-key': 'x' } }],
  ['a malformed If-Match', 400, { headers: { 'if-match': '1' } }],
  ['a compressed body', 415, { headers: { 'content-encoding': 'gzip' } }],
];
/** A retry is accepted with 202 too, but creates nothing. */
const isCreation = ({ returns, route }: Operation) => (201 in returns || 202 in returns) && !route.endsWith('/retry');
const statusOf = ({ returns }: Operation) => Number(Object.keys(returns)[0]);

/** A request that changes something. Both checks of the operation share it. */
const callOf = (service: Service, operation: Operation, version: Version): Promise<Call> =>
  service.once(operation.route, async () => {
    const call = await prepare(service, operation, version);
    if (!['PATCH', 'PUT'].includes(routeOf(operation).method)) return call;
    return withMore(call, { body: { ...(call.sent.body as object), ...otherBodyOf(operation) } });
  });

const refusedBeforeItRuns = async (service: Service, call: Call): Promise<void> => {
  for (const [cause, status, more] of REFUSED) {
    if ((await send(service, dryRunOf(withMore(call, more)))).status < 400) continue;
    const { real } = await sendBoth(service, withMore(call, more));
    expect([cause, real.status]).toEqual([cause, status]);
  }
  const { status, headers, json } = await service.send(`${call.target}?misspelt=1&dry_run=true`, call.sent);
  const parameters = json.errors.map(({ parameter }: { parameter: string }) => parameter);
  expect([status, headers['dry-run'], parameters]).toEqual([422, 'true', ['misspelt']]);
};

const refusedForItsMember = async (service: Service, operation: Operation, version: Version, call: Call) => {
  const foreign = await prepareShared(service, operation, version, { account: 'other' });
  for (const target of [foreign.target, call.target.replace(/\d{5,}/, '1')])
    expect((await sendBoth(service, { ...call, target })).dry.status).toBe(404);
  const { headers } = await service.send(memberOf(call));
  const stale = await sendBoth(service, withMore(call, { headers: { 'if-match': '"99"' } }));
  const etags = [stale.real.headers['etag'], stale.dry.headers['etag']];
  expect([stale.dry.status, ...etags]).toEqual([412, headers['etag'], headers['etag']]);
};

const withoutKey = async (service: Service, operation: Operation, call: Call): Promise<void> => {
  const dry = await send(service, dryRunOf(withMore(call, { headers: { 'idempotency-key': undefined } })));
  expect([dry.status, dry.json.code, dryHeader(dry)]).toEqual(
    operation.idempotency === 'required'
      ? [400, 'idempotency-key-required', 'true']
      : [statusOf(operation), undefined, 'true'],
  );
};

/** A key with a record: its replay; with another body: 422. */
const replayed = async (service: Service, operation: Operation, call: Call, first: Answer): Promise<void> => {
  const { dry } = await sendBoth(service, call);
  const kept = ({ status, text, headers }: Answer) => [status, text, headers['location'], headers['etag']];
  expect([...kept(dry), dry.headers['idempotent-replayed']]).toEqual([...kept(first), 'true']);
  if (!operation.body) return;
  const body = { ...(call.sent.body as object), ...otherBodyOf(operation) };
  const reused = (await sendBoth(service, withMore(call, { body }))).dry;
  expect([reused.status, reused.json.code]).toEqual([422, 'idempotency-key-reused']);
};

const checksOf = (title: string, version: Version, operation: Operation): Check[] => {
  const { method, path } = routeOf(operation);
  const hasMember = path.includes('{');
  return [
    check(clause, `${title}, refused: the same response, with Dry-Run, and nothing changes`, async (service) => {
      const call = await callOf(service, operation, version);
      await changesNothing(service, call, async () => {
        await refusedBeforeItRuns(service, call);
        if (hasMember) await refusedForItsMember(service, operation, version, call);
        if (method === 'POST') await withoutKey(service, operation, call);
      });
    }),
    check(clause, `${title}: the response of the request; nothing changes; its key stays unused`, async (service) => {
      const prepared = await callOf(service, operation, version);
      const etag = hasMember ? (await service.send(memberOf(prepared))).headers['etag'] : undefined;
      const call = withMore(prepared, { headers: { 'if-match': etag } });
      await changesNothing(service, call, () => send(service, dryRunOf(call)));
      const { dry, real } = await sendBoth(service, call);
      const headers = [dry.headers['etag'], dry.headers['location']];
      expect([dry.status, ...headers]).toEqual([statusOf(operation), undefined, undefined]);
      if (isCreation(operation)) expect([dry.json.id, typeof real.json.id]).toEqual([null, 'number']);
      else expect(dry.json?.id).toBe(real.json?.id);
      expect(real.headers['idempotent-replayed']).toBeUndefined();
      if (method === 'POST') await replayed(service, operation, call, real);
      if (operation.route === 'POST /exports')
        await service.until(`/v1/exports/${real.json.id}`, (answer) => answer.json.status === 'completed');
    }),
  ];
};

/** Ids of no resource: an unknown parameter is refused before a 404 (§5). */
const readChecksOf = (title: string, version: Version, operation: Operation): Check[] => [
  check(clause, `${title} with dry_run: 422 without Dry-Run, also HEAD`, async (service) => {
    const { target } = request(operation, version, {});
    for (const [method, value] of [
      ['GET', 'true'],
      ['GET', 'false'],
      ['HEAD', 'true'],
    ]) {
      const answer = await service.send(`${target}?dry_run=${value}`, { method: method as string });
      expect([answer.status, dryHeader(answer)]).toEqual([422, undefined]);
      if (method === 'GET') expect(answer.json.errors).toMatchObject([{ parameter: 'dry_run' }]);
    }
  }),
];

export const dryRuns: Group = {
  name: 'Dry runs',
  checks: inTurn.flatMap(([title, version, , operation]) =>
    (isWrite(operation) ? checksOf : readChecksOf)(title, version, operation),
  ),
};
