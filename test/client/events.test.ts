import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Client, InvoicingError } from '#client/source/index.ts';
import { until } from '#test/support/waiting/until.ts';
import { type Pause, replacePauses } from './pauses.ts';
import { problem, serveApi } from './serve-api.ts';

let client: Client<'v1'>;
let account = 0;
const served = await serveApi();
afterAll(() => served.stop());
beforeEach(() => {
  account += 1;
  client = served.client({ retries: 1 }, { account: `acct_events_${account}` });
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  served.wire.plan();
  jest.restoreAllMocks();
});

const create = async (count: number): Promise<number[]> => {
  const ids: number[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await client.customers.create({ name: String(i) })).id);
  return ids;
};

/** Reads this number of events and ends the loop. */
const take = async <T>(feed: AsyncIterable<T>, count: number): Promise<T[]> => {
  const all: T[] = [];
  for await (const event of feed) if (all.push(event) === count) break;
  return all;
};
const sequences = (events: readonly { readonly sequence: number }[]) => events.map(({ sequence }) => sequence);
const gets = () => served.wire.calls.filter(({ method }) => method === 'GET');

test('a feed of several pages: every event once, in its order [CONTRACT §14]', async () => {
  const ids = await create(7);
  served.wire.plan();
  const events = await take(client.events.follow({ limit: 3 }), 7);
  expect(events.map(({ resource_id, type }) => [resource_id, type])).toEqual(ids.map((id) => [id, 'customer.created']));
  expect(sequences(events)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(gets().length).toBe(3);
});

test('a feed that is not read: no request; a loop that ends: no further request', async () => {
  await create(2);
  served.wire.plan();
  const feed = client.events.follow({ limit: 1 });
  expect(gets()).toEqual([]);
  for await (const { sequence } of feed) if (sequence === 1) break;
  expect(gets().length).toBe(1);
});

test('a feed without new events: the client polls with growing pauses, and returns each new event once', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  let last: Pause | undefined;
  const pauses = replacePauses((pause) => {
    if (pauses.length === 4) last = pause;
    else pause.end();
  });
  const feed = client.events.follow()[Symbol.asyncIterator]();
  const first = feed.next();
  await until(() => last !== undefined);
  expect(pauses.map(({ ms }) => ms)).toEqual([300, 400, 600, 1000]);
  expect(gets().length).toBe(4);
  last?.end();
  const [id] = await create(1);
  expect((await first).value).toMatchObject({ sequence: 1, resource_id: id });
  const second = feed.next();
  await create(1);
  expect((await second).value).toMatchObject({ sequence: 2 });
});

test('network errors, lost responses, 429 and 5xx beyond the retries: the feed continues, each event once', async () => {
  await create(5);
  const faults = [
    ...Array<'never-sent'>(3).fill('never-sent'),
    ...Array<'lost-response'>(2).fill('lost-response'),
    ...[429, 500, 502, 503].map((status) => problem(status, 'unavailable', { 'retry-after': '0' })),
    new Response('<html>', { status: 504 }),
  ];
  served.wire.plan((_, call) => faults[call]);
  const events = await take(client.events.follow({ limit: 2 }), 5);
  expect(sequences(events)).toEqual([1, 2, 3, 4, 5]);
  expect(gets().length).toBe(faults.length + 3);
});

test('the pages of a proxy: the feed continues, with growing pauses, and returns each event once', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(1);
  await create(2);
  const pages = [
    new Response('<html>', { headers: { 'content-type': 'text/html' } }),
    new Response('<html>', { status: 403 }),
    Response.redirect('https://login.example.com/', 302),
    Response.json({ message: 'Maintenance' }),
  ];
  served.wire.plan((_, call) => pages[call]);
  const pauses = replacePauses();
  expect(sequences(await take(client.events.follow(), 2))).toEqual([1, 2]);
  expect(pauses.map(({ ms }) => ms)).toEqual([200, 400, 800, 1600]);
});

test('a 503 with Retry-After: no request before that time', async () => {
  await create(1);
  served.wire.plan((_, call) => (call < 2 ? problem(503, 'unavailable', { 'retry-after': '1' }) : undefined));
  const pauses = replacePauses();
  await take(client.events.follow(), 1);
  expect(pauses.map(({ ms }) => ms)).toEqual([1000, 1000]);
});

test('an error that a retry cannot fix: the loop ends with this error', async () => {
  const stranger = served.client({}, { scope: 'customers:read' });
  const error = await take(stranger.events.follow(), 1).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvoicingError);
  expect(error).toMatchObject({ code: 'insufficient-scope', status: 403 });
  await expect(take(client.events.follow({ after: 'x' }), 1)).rejects.toMatchObject({ code: 'invalid-cursor' });
  const unknown = served.client({ token: () => 'revoked' });
  await expect(take(unknown.events.follow(), 1)).rejects.toMatchObject({ code: 'unauthenticated', attempts: 2 });
});

test('a cursor of a list: continues after its page [CONTRACT §14]', async () => {
  await create(5);
  const { next_cursor } = await client.events.list({ limit: 2 });
  expect(sequences(await take(client.events.follow({ after: String(next_cursor) }), 3))).toEqual([3, 4, 5]);
});

test('a position inside a page, stored as JSON: continues after the last event that the loop received', async () => {
  await create(5);
  const feed = client.events.follow({ limit: 3 });
  expect(feed.position).toEqual({ sequence: 0 });
  const read: number[] = [];
  for await (const { sequence } of feed) if (read.push(sequence) === 4) break;
  const position = JSON.parse(JSON.stringify(feed.position));
  expect(position.sequence).toBe(4);
  await create(1);
  expect(sequences(await take(client.events.follow(position), 2))).toEqual([5, 6]);
  expect(sequences(await take(feed, 2))).toEqual([5, 6]);
});

describe("from 'now' [CONTRACT §14]", () => {
  const now = { from: 'now' } as const;
  /** Starts to read a feed, and waits until the service has returned its end. */
  const readFromNow = async (feed: AsyncIterable<{ readonly sequence: number }>, count: number) => {
    const events = take(feed, count);
    await until(() => served.wire.calls.length >= 2);
    return { events };
  };

  test.each([0, 3])('an account with %d events: only the events after the call', async (before) => {
    await create(before);
    served.wire.plan();
    const { events } = await readFromNow(client.events.follow(now), 2);
    const ids = await create(2);
    expect((await events).map(({ sequence }) => sequence)).toEqual([before + 1, before + 2]);
    expect(await client.events.list({ sort: '-id', limit: 2 })).toMatchObject({
      data: [{ resource_id: ids[1] }, { resource_id: ids[0] }],
    });
  });

  test('the call: sends one request at once, and does not request earlier events', async () => {
    await create(7);
    served.wire.plan();
    const feed = client.events.follow({ ...now, limit: 3 });
    await until(() => gets().length > 0);
    expect(gets().map(({ path }) => path)).toEqual([expect.stringMatching(/^\/v1\/events\?.*sort=-id/)]);
    expect(feed.position).toEqual(now);
    const { events } = await readFromNow(feed, 1);
    await create(1);
    expect(sequences(await events)).toEqual([8]);
    for (const { path } of gets()) expect(path).not.toMatch(/^\/v1\/events\?limit=3$/);
  });

  test('events between the call and the loop: returned', async () => {
    await create(2);
    served.wire.plan();
    const feed = client.events.follow(now);
    await until(() => served.wire.answered.length === 1);
    await create(1);
    expect(sequences(await take(feed, 1))).toEqual([3]);
  });

  test.each([0, 2])('the position after %d events, stored as JSON: another feed continues there', async (before) => {
    await create(before);
    served.wire.plan();
    const feed = client.events.follow(now);
    const { events } = await readFromNow(feed, 1);
    await create(2);
    await events;
    const position = JSON.parse(JSON.stringify(feed.position));
    expect(position.sequence).toBe(before + 1);
    const resumed = client.events.follow(position);
    await create(1);
    expect(sequences(await take(resumed, 2))).toEqual([before + 2, before + 3]);
    const again = client.events.follow(JSON.parse(JSON.stringify(resumed.position)));
    await create(1);
    expect(sequences(await take(again, 1))).toEqual([before + 4]);
  });

  test('many events of one millisecond, and several pages after it: each later event once', async () => {
    await Promise.all([create(10), create(10)]);
    served.wire.plan();
    const { events } = await readFromNow(client.events.follow({ ...now, limit: 3 }), 20);
    await Promise.all([create(10), create(10)]);
    expect(sequences(await events)).toEqual(Array.from({ length: 20 }, (_, i) => 21 + i));
  });

  test('503 and network errors, beyond the retries: the client requests the end of the feed again', async () => {
    await create(1);
    const fault = (call: number) => (call % 2 ? 'never-sent' : problem(503, 'unavailable', { 'retry-after': '0' }));
    served.wire.plan(({ method }, call) => (method === 'GET' && call < 7 ? fault(call) : undefined));
    const events = take(client.events.follow(now), 1);
    await until(() => served.wire.calls.length >= 9);
    await create(1);
    expect(sequences(await events)).toEqual([2]);
  });

  test('an error that a retry cannot fix: the loop throws it; without a loop there is no unhandled rejection', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const stranger = served.client({}, { scope: 'customers:read' });
    const feed = stranger.events.follow(now);
    await until(() => served.wire.answered.length === 1);
    // Its response comes later than the response to the feed.
    await expect(stranger.events.list()).rejects.toMatchObject({ code: 'insufficient-scope' });
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    for (let i = 0; i < 2; i += 1) await expect(take(feed, 1)).rejects.toMatchObject({ code: 'insufficient-scope' });
  });
});

test('a filter, and expand: the events of that type with their resources [CONTRACT §14]', async () => {
  const [id = 0] = await create(2);
  await client.customers.patch(id, { name: 'changed' });
  const [event] = await take(client.events.follow({ type: 'customer.updated', expand: ['resource'] }), 1);
  expect(event).toMatchObject({ resource_id: id, changed: ['name'], resource: { name: 'changed' } });
  // @ts-expect-error the feed has no such type
  await expect(take(client.events.follow({ type: 'customer.moved' }), 1)).rejects.toMatchObject({ status: 422 });
});

test('an aborted signal, while the feed waits: the loop ends with its reason', async () => {
  await create(1);
  const pauses = replacePauses(() => {});
  const stopping = new AbortController();
  const read: number[] = [];
  const loop = (async () => {
    for await (const { sequence } of client.events.follow({}, { signal: stopping.signal })) read.push(sequence);
  })();
  await until(() => pauses.length > 0);
  stopping.abort(new Error('enough'));
  await expect(loop).rejects.toThrow('enough');
  expect(read).toEqual([1]);
});

test('writers and lost responses at the same time: every event exactly once [CONTRACT §14]', async () => {
  const reader = served.client({}, { account: `acct_events_${account}` });
  const writing = Promise.all(Array.from({ length: 4 }, () => create(5)));
  served.wire.plan(({ method }, call) => (method === 'GET' && call % 3 === 0 ? 'lost-response' : undefined));
  const events = await take(reader.events.follow({ limit: 4 }), 20);
  const ids = (await writing).flat();
  expect(sequences(events)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  expect(new Set(events.map(({ resource_id }) => resource_id))).toEqual(new Set(ids));
});
