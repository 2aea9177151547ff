import { type Endpoint, type Operation, resourceOfGet, routeOf } from '#shared/platform/endpoint.ts';
import type { Resource } from '#shared/platform/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { declarationsOf, refusalsOf } from './declarations.ts';
import { headers } from './headers.ts';
import type { Json } from './json-schema.ts';
import { linksFrom, type Operations } from './links.ts';
import { resourceName } from './names.ts';
import { problemName } from './problems.ts';
import { examples, type RecordedExchange } from './recorded.ts';
import { pageOf, readableSchema, ref, schemaRef } from './resources.ts';

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: the work goes on.',
  204: 'Done; there is nothing to say.',
  303: 'It is to be had elsewhere.',
};

/** What an operation is asked under a version, and what was recorded of that. */
export interface OperationInput {
  readonly operation: Operation;
  readonly version: Version;
  readonly operations: Operations;
  readonly exchanges: readonly RecordedExchange[];
}

const bodyOf = (operation: Operation, resource: Resource, version: Version): Json => {
  if (operation.list) return pageOf(resource, version);
  return routeOf(operation).method === 'GET'
    ? readableSchema(resource, version)
    : schemaRef(resourceName(resource), version);
};

const success = (asked: OperationInput, status: number, resource: Resource | null): Json => {
  const { operation, version, operations, exchanges } = asked;
  const met = exchanges.filter((one) => one.status === status);
  const schema = resource && bodyOf(operation, resource, version);
  const links = resource && !operation.list ? linksFrom(resource, version, operations) : {};
  return {
    description: DESCRIPTIONS[status],
    headers: headers(declarationsOf(operation).writes(status)),
    ...(schema && { content: { 'application/json': { schema, ...examples(met, ({ body }) => body) } } }),
    ...(Object.keys(links).length > 0 && { links }),
  };
};

/** The 304 of an endpoint that sends an entity tag. */
export const notModified = (endpoint: Endpoint): Json => ({
  description: 'The copy at hand is the current one.',
  headers: headers(declarationsOf(endpoint).writes(304)),
});

/** The problems that an endpoint answers with, by their status. */
export const problemsOf = (endpoint: Endpoint): Json =>
  Object.fromEntries(
    [...refusalsOf(endpoint)].map(([status, codes]) => [String(status), ref('responses', problemName(codes))]),
  );

/** Every response of an operation, by its status. */
export const responsesOf = (asked: OperationInput): Json => {
  const { operation } = asked;
  const done = Object.entries(operation.returns).map(([status, resource]) => [
    status,
    success(asked, Number(status), resource),
  ]);
  return {
    ...Object.fromEntries(done),
    ...(resourceOfGet(operation) && !operation.list && { 304: notModified(operation) }),
    ...problemsOf(operation),
  };
};
