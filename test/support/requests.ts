import { randomUUID } from 'node:crypto';
import { endpoints } from '#functions/index.ts';
import { type Endpoint, isPublic, type Operation, routeOf } from '#shared/http/endpoint.ts';
import { VERSIONS, type Version } from '#shared/wire/version.ts';
import type { Sent } from './event.ts';
import type { Claims, Service } from './service.ts';

/** The endpoints that take a token, each with the name of its file. */
export const operations: readonly (readonly [name: string, operation: Operation])[] = Object.entries(endpoints).filter(
  (entry): entry is [string, Operation] => !isPublic(entry[1] as Endpoint),
);

/** Every operation under every version: the rows of the matrix. */
export const matrix = operations.flatMap(([name, operation]) =>
  VERSIONS.map(
    (version) =>
      [`${routeOf(operation).method} /${version}${routeOf(operation).path}`, version, name, operation] as const,
  ),
);

/** Bodies that create a member of a collection, by the version that writes them. */
export const NEW: Readonly<Record<string, Readonly<Record<Version, object>>>> = {
  customers: { v1: { name: 'Ada' }, v2: { name: 'Ada' } },
  invoices: { v1: { total_cents: 1250 }, v2: { total: { amount: 1250 } } },
};

/** The collection of a route: its first segment. */
export const collectionOf = (operation: Operation): string => routeOf(operation).path.split('/')[1] as string;

/** Creates a member with whatever it depends on, and answers its id. */
export const make = async (service: Service, collection: string, claims?: Claims): Promise<number> => {
  const answer = await service.send(`/v1/${collection}`, {
    method: 'POST',
    body: NEW[collection]?.v1,
    ...(claims && { claims }),
    headers: { 'idempotency-key': randomUUID() },
  });
  if (answer.status >= 300) throw new Error(`${collection}: ${answer.text}`);
  return answer.json.id;
};

/** A request that the operation accepts, given the id that its path names. */
export const request = (
  operation: Operation,
  version: Version,
  id: number | string,
): { target: string; sent: Sent } => {
  const { method, path } = routeOf(operation);
  const isVerb = /\}\/[a-z-]+$/.test(path) && method === 'POST';
  const body = method === 'GET' || method === 'DELETE' || isVerb ? undefined : NEW[collectionOf(operation)]?.[version];
  const headers = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
  return {
    target: `/${version}${path.replace(/\{[^}]*\}/g, String(id))}`,
    sent: { method, headers, ...(body && { body }) },
  };
};
