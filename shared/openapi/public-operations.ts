import type { PublicOperation } from '#shared/platform/http/endpoint.ts';
import { declarationsOf } from './declarations.ts';
import { headers } from './headers.ts';
import type { Json } from './json-schema.ts';
import { operationId } from './names.ts';
import { headerParameters, pathParameters } from './parameters.ts';
import { examples, type RecordedExchange } from './recorded.ts';
import { notModified, problemsOf } from './responses.ts';

/** Endpoints without version and token, by the names of their files. */
export type PublicOperations = readonly (readonly [file: string, operation: PublicOperation])[];

export const PUBLIC_TAG = 'Public';

/** CONTRACT §4. */
export const publicPaths = (operations: PublicOperations, exchanges: readonly RecordedExchange[]): Json =>
  Object.fromEntries(
    operations.map(([file, operation]) => {
      const { method, path } = operation;
      const parameters = [
        ...pathParameters(path, 'The last segment of the path, as in the links of the service.', { type: 'string' }),
        ...headerParameters(operation),
      ];
      const recordings = exchanges.filter((exchange) => exchange.file === file);
      const operationObject = {
        operationId: operationId(file),
        summary: operation.summary,
        description: operation.description,
        tags: [PUBLIC_TAG],
        security: [],
        ...(parameters.length > 0 && { parameters }),
        responses: { ...successesOf(operation, recordings), ...problemsOf(operation) },
      };
      return [path, { [method.toLowerCase()]: operationObject }];
    }),
  );

const successesOf = (operation: PublicOperation, exchanges: readonly RecordedExchange[]): Json => {
  const { redirectsTo, files, produces = {} } = operation;
  const { writes } = declarationsOf(operation);
  if (redirectsTo) return { 303: { description: `Redirects to ${redirectsTo}.`, headers: headers(writes(303)) } };
  return {
    200: { description: 'OK.', headers: headers(writes(200)), content: contentOf(produces, exchanges) },
    ...(files && { 304: notModified(operation) }),
  };
};

const contentOf = (schemas: Readonly<Record<string, Json>>, exchanges: readonly RecordedExchange[]): Json =>
  Object.fromEntries(
    Object.entries(schemas).map(([type, schema]) => [
      type,
      { schema, ...(type.endsWith('json') && examples(exchanges, ({ body }) => body)) },
    ]),
  );
