import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { comparable, dryResponseOf, dryRunOf } from '#test/support/requests/dry-run.ts';
import type { Answer, Call, Caller, Sent } from '#test/support/service/client.ts';
import type { Service } from '#test/support/service/open-service.ts';
import { ownHeaders } from '#test/support/service/transport.ts';

export const send = (service: Service, { target, sent }: Call) => service.send(target, sent);
export const withMore = ({ target, sent }: Call, more: Sent): Call => ({
  target,
  sent: { ...sent, ...more, headers: { ...sent.headers, ...more.headers } },
});
export const dryHeader = ({ headers }: Answer) => headers['dry-run'];

/** The id of a dry run is null, so that its body is shorter. */
const withoutTransfer = (answer: Answer): Answer => {
  const { 'content-length': _, ...headers } = ownHeaders(answer);
  return { ...answer, headers };
};
/** A time that is longer than the difference between the clocks of the client and the service. */
export const SKEW_MS = 5000;

/** Sends a request as a dry run and then without `dry_run`: the same status, headers and body. */
export const sendBoth = async (service: Service, call: Call): Promise<{ dry: Answer; real: Answer }> => {
  const since = Date.now() - SKEW_MS;
  const [dry, real] = [await send(service, dryRunOf(call)), await send(service, call)].map(withoutTransfer) as [
    Answer,
    Answer,
  ];
  expect(comparable(dry, since)).toEqual(comparable(dryResponseOf(real, dry), since));
  expect([dryHeader(dry), dryHeader(real)]).toEqual(['true', undefined]);
  return { dry, real };
};

export const memberOf = ({ target }: Pick<Call, 'target'>): string => /^\/v\d\/[a-z-]+\/\d+/.exec(target)?.[0] ?? '';

/** The resources that a request may change, as a client reads them. */
export const visibleTo = async (service: Service, { target, sent: { as } }: Call): Promise<unknown[]> => {
  const [collection = ''] = /^\/v\d\/[a-z-]+/.exec(target) ?? [];
  const member = memberOf({ target });
  const v1 = collection.replace('v2', 'v1');
  const read = async (path: string) => (await service.send(path, { ...(as && { as }) })).text;
  const total = async (path: string) => JSON.parse(await read(`${path}?page=1&per_page=1`)).total_count;
  return [await total(v1), await total('/v1/events'), member && (await read(member))];
};

export const changesNothing = async <T>(service: Service, call: Call, work: () => Promise<T>): Promise<T> => {
  const before = await visibleTo(service, call);
  const result = await work();
  expect(await visibleTo(service, call)).toEqual(before);
  return result;
};

export const clause = 'CONTRACT §13';
export const call = (method: string, path: string, body?: object, as: Caller = {}): Call => ({
  target: `/v1/${path}`,
  sent: { method, as, headers: { 'idempotency-key': randomUUID() }, ...(body && { body }) },
});
