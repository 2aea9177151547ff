import type { ProblemCode } from '#shared/invoicing/problems/catalogue.ts';
import { CATALOGUE } from '#shared/invoicing/problems/catalogue.ts';
import { type PublicOperation, routeOf } from '#shared/platform/endpoint.ts';
import { publicHeaders as headers } from './headers.ts';
import type { Json } from './json-schema.ts';
import { operationId } from './names.ts';
import { problemName } from './problems.ts';
import { type Exchange, examples } from './recorded.ts';
import { ref } from './resources.ts';

/** The endpoints without version and token, by the names of their files. */
export type PublicOperations = readonly (readonly [file: string, operation: PublicOperation])[];

/** Their tag. */
export const PUBLIC = 'Public';

const ANY: readonly ProblemCode[] = ['too-many-requests', 'internal-error', 'unavailable'];

/** The codes of each status that a public endpoint can refuse with. */
export const publicRefusals = ({ refuses = [] }: PublicOperation): ReadonlyMap<number, readonly ProblemCode[]> =>
  Map.groupBy([...refuses, ...ANY], (code) => CATALOGUE[code].status);

const contentOf = (types: readonly string[], exchanges: readonly Exchange[]): Json =>
  Object.fromEntries(
    types.map((type) => {
      if (!type.endsWith('json')) return [type, { schema: { type: 'string' } }];
      return [type, { schema: { type: ['object', 'array'] }, ...examples(exchanges, ({ body }) => body) }];
    }),
  );

const successesOf = (operation: PublicOperation, exchanges: readonly Exchange[]): Json => {
  const { redirectsTo, files, produces = [] } = operation;
  if (redirectsTo) {
    return { 303: { description: `Redirects to ${redirectsTo}.`, headers: headers('Cache-Control', 'Location') } };
  }
  return {
    200: {
      description: 'Here it is.',
      headers: headers('Cache-Control', ...(files ? (['ETag', 'Vary'] as const) : [])),
      content: contentOf(produces, exchanges),
    },
    ...(files && {
      304: { description: 'The copy at hand is the current one.', headers: headers('Cache-Control', 'ETag', 'Vary') },
    }),
  };
};

const answersOf = (operation: PublicOperation, exchanges: readonly Exchange[]): Json => ({
  ...successesOf(operation, exchanges),
  ...Object.fromEntries(
    [...publicRefusals(operation)].map(([status, codes]) => [status, ref('responses', problemName(codes))]),
  ),
});

const parametersOf = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'Its name.',
    schema: { type: 'string' },
  }));

/** The paths of the public endpoints: unversioned (CONTRACT §4). */
export const publicPaths = (operations: PublicOperations, exchanges: readonly Exchange[]): Json =>
  Object.fromEntries(
    operations.map(([file, operation]) => {
      const { method, path } = routeOf(operation);
      const parameters = [...parametersOf(path), ...(operation.files ? [ref('parameters', 'If-None-Match')] : [])];
      const made = {
        operationId: operationId(file),
        summary: operation.summary,
        description: operation.description,
        tags: [PUBLIC],
        security: [],
        ...(parameters.length > 0 && { parameters }),
        responses: answersOf(
          operation,
          exchanges.filter((one) => one.file === file),
        ),
      };
      return [path, { [method.toLowerCase()]: made }];
    }),
  );
