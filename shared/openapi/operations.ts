import { routeOf } from '#shared/platform/endpoint.ts';
import { mediaTypesOf } from '#shared/platform/http/pipeline/parse-body.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import type { Json } from './json-schema.ts';
import type { Operations } from './links.ts';
import { collectionOf, operationId, title } from './names.ts';
import { parametersOf } from './parameters.ts';
import { examples, type RecordedExchange } from './recorded.ts';
import { bodyName as nameOf, schemaRef } from './resources.ts';
import { type OperationInput, responsesOf } from './responses.ts';

/** The tag of a collection under a version. */
export const tagOf = (collection: string, version: Version): string => `${title(collection)} ${version}`;

const requestBody = ({ operation, version, exchanges }: OperationInput): Json | undefined => {
  const name = nameOf(operation);
  if (!name) return undefined;
  const done = exchanges.filter(({ status }) => status < 400);
  const content = { schema: schemaRef(name, version), ...examples(done, ({ sent }) => sent.body) };
  // Tools take the first media type, which is the one of its own.
  const types = mediaTypesOf(operation).toReversed();
  return { required: true, content: Object.fromEntries(types.map((type) => [type, content])) };
};

const operationOf = (file: string, asked: OperationInput): Json => {
  const { operation, version } = asked;
  const body = requestBody(asked);
  return {
    operationId: operationId(file, version),
    summary: operation.summary,
    description: `${operation.description}\n\nNeeds the scope \`${operation.scope}\`.`,
    tags: [tagOf(collectionOf(operation), version)],
    security: [{ access_token: [operation.scope] }],
    parameters: parametersOf(operation, version),
    ...(body && { requestBody: body }),
    responses: responsesOf(asked),
  };
};

/** The paths of every operation under every version. */
export const pathsOf = (
  operations: Operations,
  exchanges: readonly RecordedExchange[],
): Record<string, Record<string, Json>> => {
  const all = VERSIONS.flatMap((version) =>
    operations.map(([file, operation]) => {
      const { method, path } = routeOf(operation);
      const met = exchanges.filter((one) => one.file === file && one.version === version);
      const made = operationOf(file, { operation, version, operations, exchanges: met });
      return { path: `/${version}${path}`, method: method.toLowerCase(), made };
    }),
  );
  const byPath = [...Map.groupBy(all, ({ path }) => path)];
  return Object.fromEntries(
    byPath.map(([path, made]) => [path, Object.fromEntries(made.map((one) => [one.method, one.made]))]),
  );
};
