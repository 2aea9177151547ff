import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Resource } from '#shared/platform/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { type HeaderName, headers } from './headers.ts';
import type { Json } from './json-schema.ts';
import { linksFrom, type Operations } from './links.ts';
import { resourceName } from './names.ts';
import { problemName } from './problems.ts';
import { type Exchange, examples } from './recorded.ts';
import { refusalsOf } from './refusals.ts';
import { pageOf, readable, ref, schemaRef } from './resources.ts';

const SAYS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: the work goes on.',
  204: 'Done; there is nothing to say.',
  303: 'It is to be had elsewhere.',
};

/** What an operation is asked under a version, and what was recorded of that. */
export interface Asked {
  readonly operation: Operation;
  readonly version: Version;
  readonly operations: Operations;
  readonly exchanges: readonly Exchange[];
}

/** Whether a member goes on changing after it was created: somebody works on it. */
const isWorkedOn = (resource: Resource | null, operations: Operations): boolean =>
  operations.some(([, { returns }]) => resource !== null && returns[202] === resource);

const headersOf = ({ operation, operations }: Asked, status: number, resource: Resource | null): HeaderName[] => {
  const isRead = routeOf(operation).method === 'GET';
  if (operation.lists) return ['Cache-Control', 'Vary', 'Link'];
  const isMade = status === 201 || status === 202;
  return [
    ...(resource ? (['ETag'] as const) : []),
    'Cache-Control',
    ...(isRead ? (['Vary'] as const) : []),
    ...(isMade || status === 303 ? (['Location'] as const) : []),
    ...((isMade || isRead) && isWorkedOn(resource, operations) ? (['Retry-After'] as const) : []),
    ...(operation.idempotency ? (['Idempotent-Replayed'] as const) : []),
  ];
};

const bodyOf = (operation: Operation, resource: Resource, version: Version): Json => {
  if (operation.lists) return pageOf(resource, version);
  return routeOf(operation).method === 'GET' ? readable(resource, version) : schemaRef(resourceName(resource), version);
};

const success = (asked: Asked, status: number, resource: Resource | null): Json => {
  const { operation, version, operations, exchanges } = asked;
  const met = exchanges.filter((one) => one.status === status);
  const schema = resource && bodyOf(operation, resource, version);
  const links = resource && !operation.lists ? linksFrom(resource, version, operations) : {};
  return {
    description: SAYS[status],
    headers: headers(...headersOf(asked, status, resource)),
    ...(schema && { content: { 'application/json': { schema, ...examples(met, ({ body }) => body) } } }),
    ...(Object.keys(links).length > 0 && { links }),
  };
};

/** It has the headers of the 200. */
const notModified = (asked: Asked, resource: Resource): Json => ({
  description: 'The copy at hand is the current one.',
  headers: headers(...headersOf(asked, 200, resource)),
});

/** Every answer of an operation, by its status. */
export const answersOf = (asked: Asked): Json => {
  const { operation } = asked;
  const tagged = routeOf(operation).method === 'GET' && !operation.lists && operation.returns[200];
  const done = Object.entries(operation.returns).map(([status, resource]) => [
    status,
    success(asked, Number(status), resource),
  ]);
  const refused = [...refusalsOf(operation)].map(([status, codes]) => [
    String(status),
    ref('responses', problemName(codes)),
  ]);
  return Object.fromEntries([...done, ...(tagged ? [['304', notModified(asked, tagged)]] : []), ...refused]);
};
