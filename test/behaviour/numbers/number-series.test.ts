import { describe, expect } from '@jest/globals';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { idsOf, query } from '../support/pages.ts';
import { created, idOf, outcome, patch, pointersOf, post, remove } from '../support/requests.ts';
import { issued, newPrefix, newSeries } from './series.ts';

const service = await openService();

describe('Number series', () => {
  test('POST with a prefix alone: the other fields have their defaults [CONTRACT §4]', async () => {
    const prefix = newPrefix();
    const { status, json, headers } = await post(service, '/v1/number-series', { prefix });
    const { id, created_at, updated_at, ...rest } = json;
    expect([status, headers['location'], headers['etag']]).toEqual([201, `/v1/number-series/${id}`, '"1"']);
    expect(rest).toEqual({
      ...{ prefix, digits: 5, first_number: 1, status: 'active' },
      ...{ last_number: null, last_issue_date: null },
    });
    expect(updated_at).toBe(created_at);
  });

  const INVALID = [
    [{}, '/prefix'],
    [{ prefix: 'a-' }, '/prefix'],
    [{ prefix: '2026' }, '/prefix'],
    [{ prefix: `${'A'.repeat(20)}-` }, '/prefix'],
    [{ prefix: null }, '/prefix'],
    [{ prefix: 'A-', digits: 0 }, '/digits'],
    [{ prefix: 'A-', digits: 13 }, '/digits'],
    [{ prefix: 'A-', first_number: 0 }, '/first_number'],
    [{ prefix: 'A-', first_number: 1_000_000_000_000 }, '/first_number'],
    [{ prefix: 'A-', status: 'open' }, '/status'],
  ] as const;
  for (const [body, pointer] of INVALID) {
    test(`POST of ${JSON.stringify(body)}: 422 at ${pointer} [CONTRACT §4]`, async () => {
      const answer = await post(service, '/v1/number-series', body);
      expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
    });
  }

  test('POST with last_number: 422 read-only, and null is accepted [CONTRACT §4]', async () => {
    const refused = await post(service, '/v1/number-series', { prefix: newPrefix(), last_number: 3 });
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/last_number']]);
    expect((await post(service, '/v1/number-series', { prefix: newPrefix(), last_number: null })).status).toBe(201);
  });

  testWith('newAccounts')('an empty prefix: allowed, and unique like any other [CONTRACT §4]', async () => {
    const { json } = await post(service, '/v1/number-series', { prefix: '' });
    const refused = await post(service, '/v1/number-series', { prefix: '' });
    expect([refused.status, refused.json]).toMatchObject([
      409,
      { code: 'already-taken', field: 'prefix', conflicting_id: json.id },
    ]);
    expect((await issued(service, json.id))['number']).toBe('00001');
  });

  test('PATCH to the prefix of another series: 409; of a deleted one: 200 [CONTRACT §4]', async () => {
    const [first, second] = [await newSeries(service), await newSeries(service)];
    const { prefix } = (await service.send(first)).json;
    const refused = await patch(service, second, { prefix });
    expect([refused.status, refused.json]).toMatchObject([
      409,
      { code: 'already-taken', field: 'prefix', conflicting_id: idOf(first) },
    ]);
    expect((await remove(service, first)).status).toBe(204);
    expect((await patch(service, second, { prefix })).json.prefix).toBe(prefix);
  });

  test('PATCH of an unused series: every field can change [CONTRACT §4]', async () => {
    const path = await newSeries(service);
    const body = { prefix: newPrefix(), digits: 3, first_number: 70 };
    expect((await patch(service, path, body)).json).toMatchObject(body);
    expect((await issued(service, idOf(path)))['number']).toBe(`${body.prefix}070`);
  });

  test('PATCH and DELETE of a series with a number: 409 series-in-use, but its status changes [CONTRACT §4]', async () => {
    const path = await newSeries(service);
    await issued(service, idOf(path));
    for (const body of [{ prefix: newPrefix() }, { digits: 6 }, { first_number: 2 }, { status: 'closed', digits: 6 }])
      expect([body, ...outcome(await patch(service, path, body))]).toEqual([body, 409, 'series-in-use']);
    expect(outcome(await remove(service, path))).toEqual([409, 'series-in-use']);
    for (const status of ['closed', 'active'])
      expect((await patch(service, path, { status })).json).toMatchObject({ status, last_number: 1 });
  });

  test('a number: the series has another ETag, and no event of its own [CONTRACT §4, §14]', async () => {
    const path = await newSeries(service);
    await issued(service, idOf(path));
    expect((await service.send(path)).headers['etag']).toBe('"2"');
    await patch(service, path, { status: 'closed' });
    const { json } = await service.send(`/v1/events${query({ resource_id: idOf(path) })}`);
    expect(json.data.map(({ type, version, changed }: Record<string, unknown>) => [type, version, changed])).toEqual([
      ['number_series.created', 1, []],
      ['number_series.updated', 3, ['last_issue_date', 'last_number', 'status']],
    ]);
  });

  test('PUT: 405; DELETE of an unused series: 204, and then 404 [CONTRACT §4]', async () => {
    const path = await newSeries(service);
    expect((await service.send(path, { method: 'PUT', body: {} })).status).toBe(405);
    expect((await remove(service, path)).status).toBe(204);
    expect(outcome(await remove(service, path))).toEqual([404, 'not-found']);
  });

  test('the list by status: active or closed series only [CONTRACT §4]', async () => {
    const [active, closed] = [await newSeries(service), await newSeries(service, { status: 'closed' })];
    const listed = await service.send(`/v1/number-series${query({ status: 'closed', sort: '-id' })}`);
    expect(idsOf(listed)).toContain(idOf(closed));
    expect(idsOf(listed)).not.toContain(idOf(active));
    expect(outcome(await service.send('/v1/number-series?prefix=A-'))).toEqual([422, 'validation-failed']);
  });

  testWith('roles')('a viewer reads, only an admin writes [CONTRACT §2]', async () => {
    const path = await newSeries(service);
    expect((await service.send(path, { as: { role: 'viewer' } })).status).toBe(200);
    for (const role of ['clerk', 'accountant'])
      expect(outcome(await patch(service, path, { status: 'closed' }, { as: { role } }))).toEqual([
        403,
        'insufficient-scope',
      ]);
    expect(idOf(await created(service, 'number-series', { prefix: newPrefix() }, { role: 'admin' }))).toBeGreaterThan(
      0,
    );
  });
});
