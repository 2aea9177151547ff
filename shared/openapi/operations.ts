import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import type { Json } from './json-schema.ts';
import type { Operations } from './links.ts';
import { collectionOf, operationId, title } from './names.ts';
import { parametersOf } from './parameters.ts';
import { examples, type RecordedExchange } from './recorded.ts';
import { bodyName, schemaRef } from './resources.ts';
import { type OperationInput, responsesOf } from './responses.ts';

/** The paths of every operation under every version. */
export const pathsOf = (
  operations: Operations,
  exchanges: readonly RecordedExchange[],
): Record<string, Record<string, Json>> => {
  const all = VERSIONS.flatMap((version) =>
    operations.map(([file, operation]) => {
      const { method, path } = operation;
      const recordings = exchanges.filter((exchange) => exchange.file === file && exchange.version === version);
      const operationObject = operationOf(file, { operation, version, operations, exchanges: recordings });
      return { path: `/${version}${path}`, method: method.toLowerCase(), operationObject };
    }),
  );
  const byPath = [...Map.groupBy(all, ({ path }) => path)];
  return Object.fromEntries(
    byPath.map(([path, entries]) => [
      path,
      Object.fromEntries(entries.map(({ method, operationObject }) => [method, operationObject])),
    ]),
  );
};

export const tagOf = (collection: string, version: Version): string => `${title(collection)} ${version}`;

const operationOf = (file: string, input: OperationInput): Json => {
  const { operation, version } = input;
  const body = requestBody(input);
  return {
    operationId: operationId(file, version),
    summary: operation.summary,
    description: `${operation.description}\n\nRequired scope: \`${operation.scope}\`.`,
    tags: [tagOf(collectionOf(operation), version)],
    security: [{ access_token: [operation.scope] }],
    parameters: parametersOf(operation, version),
    ...(body && { requestBody: body }),
    responses: responsesOf(input),
  };
};

const requestBody = ({ operation, version, exchanges }: OperationInput): Json | undefined => {
  const name = bodyName(operation);
  if (!name) return undefined;
  const succeeded = exchanges.filter(({ status }) => status < 400);
  const content = { schema: schemaRef(name, version), ...examples(succeeded, ({ sent }) => sent.body) };
  // Tools use the first media type, so the most specific one comes first.
  const types = operation.mediaTypes?.toReversed() ?? [];
  return { required: !operation.isBodyOptional, content: Object.fromEntries(types.map((type) => [type, content])) };
};
