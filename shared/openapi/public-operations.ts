import { type PublicOperation, routeOf } from '#shared/platform/endpoint.ts';
import { declarationsOf } from './declarations.ts';
import { headers } from './headers.ts';
import type { Json } from './json-schema.ts';
import { operationId } from './names.ts';
import { headerParameters, pathParameters } from './parameters.ts';
import { examples, type RecordedExchange } from './recorded.ts';
import { notModified, problemsOf } from './responses.ts';

/** The endpoints without version and token, by the names of their files. */
export type PublicOperations = readonly (readonly [file: string, operation: PublicOperation])[];

/** Their tag. */
export const PUBLIC = 'Public';

const contentOf = (types: readonly string[], exchanges: readonly RecordedExchange[]): Json =>
  Object.fromEntries(
    types.map((type) => {
      if (!type.endsWith('json')) return [type, { schema: { type: 'string' } }];
      return [type, { schema: { type: ['object', 'array'] }, ...examples(exchanges, ({ body }) => body) }];
    }),
  );

const successesOf = (operation: PublicOperation, exchanges: readonly RecordedExchange[]): Json => {
  const { redirectsTo, files, produces = [] } = operation;
  const { writes } = declarationsOf(operation);
  if (redirectsTo) return { 303: { description: `Redirects to ${redirectsTo}.`, headers: headers(writes(303)) } };
  return {
    200: { description: 'Here it is.', headers: headers(writes(200)), content: contentOf(produces, exchanges) },
    ...(files && { 304: notModified(operation) }),
  };
};

/** The paths of the public endpoints: unversioned (CONTRACT §4). */
export const publicPaths = (operations: PublicOperations, exchanges: readonly RecordedExchange[]): Json =>
  Object.fromEntries(
    operations.map(([file, operation]) => {
      const { method, path } = routeOf(operation);
      const parameters = [...pathParameters(path, 'Its name.', { type: 'string' }), ...headerParameters(operation)];
      const met = exchanges.filter((one) => one.file === file);
      const made = {
        operationId: operationId(file),
        summary: operation.summary,
        description: operation.description,
        tags: [PUBLIC],
        security: [],
        ...(parameters.length > 0 && { parameters }),
        responses: { ...successesOf(operation, met), ...problemsOf(operation) },
      };
      return [path, { [method.toLowerCase()]: made }];
    }),
  );
