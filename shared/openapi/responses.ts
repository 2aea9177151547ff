import type { Resource } from '#shared/platform/declarations/resource.ts';
import type { Endpoint, Operation } from '#shared/platform/http/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { declarationsOf, problemCodesByStatus } from './declarations.ts';
import { headers } from './headers.ts';
import type { Json } from './json-schema.ts';
import { linksFrom, type Operations } from './links.ts';
import { problemName } from './problems.ts';
import { examples, type RecordedExchange } from './recorded.ts';
import { pageOf, readableSchema, ref, writtenSchema } from './resources.ts';

export interface OperationInput {
  readonly operation: Operation;
  readonly version: Version;
  readonly operations: Operations;
  readonly exchanges: readonly RecordedExchange[];
}

export const responsesOf = (input: OperationInput): Json => {
  const { operation } = input;
  const successes = Object.entries(operation.returns).map(([status, resource]) => [
    status,
    success(input, Number(status), resource),
  ]);
  return {
    ...Object.fromEntries(successes),
    ...(operation.resource && !operation.list && { 304: notModified(operation) }),
    ...problemsOf(operation),
  };
};

/** References to the problem responses of an endpoint, by status. */
export const problemsOf = (endpoint: Endpoint): Json =>
  Object.fromEntries(
    [...problemCodesByStatus(endpoint)].map(([status, codes]) => [
      String(status),
      ref('responses', problemName(codes)),
    ]),
  );

export const notModified = (endpoint: Endpoint): Json => ({
  description: 'Not modified. Your copy is current.',
  headers: headers(declarationsOf(endpoint).writes(304)),
});

const success = (input: OperationInput, status: number, resource: Resource | null): Json => {
  const { operation, version, operations, exchanges } = input;
  const recordings = exchanges.filter((exchange) => exchange.status === status);
  const schema = resource && bodyOf(operation, resource, version);
  const links = resource && !operation.list ? linksFrom(resource, version, operations) : {};
  return {
    description: DESCRIPTIONS[status],
    headers: headers(declarationsOf(operation).writes(status)),
    ...(schema && { content: { 'application/json': { schema, ...examples(recordings, ({ body }) => body) } } }),
    ...(Object.keys(links).length > 0 && { links }),
  };
};

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'OK.',
  201: 'Created.',
  202: 'Accepted. A worker processes it in the background.',
  204: 'Deleted.',
  303: "Redirects to the file's temporary URL.",
};

const bodyOf = (operation: Operation, resource: Resource, version: Version): Json => {
  if (operation.list) return pageOf(resource, version);
  return operation.method === 'GET' ? readableSchema(resource, version) : writtenSchema(operation, resource, version);
};
