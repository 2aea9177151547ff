import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Resource } from '#shared/platform/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Json } from './json-schema.ts';
import { operationId, resourceName } from './names.ts';
import { ref } from './resources.ts';

/** The operations by the names of their files. */
export type Operations = readonly (readonly [file: string, operation: Operation])[];

const idName = ({ noun }: Resource): string => `${noun.replaceAll(' ', '_')}_id`;

const ITS_ID = '$response.body#/id';

/** What names a member to another operation: the one id in its path, or one in its body. */
const linkTarget = (resource: Resource, operation: Operation): Json | undefined => {
  const { path } = routeOf(operation);
  const parameters = path.match(/(?<=\{)\w+/g) ?? [];
  const id = idName(resource);
  if (parameters.length === 1 && parameters[0] === id) return { parameters: { [id]: ITS_ID } };
  const isNamed = parameters.length === 0 && routeOf(operation).method === 'POST' && operation.body;
  const creates = Object.values(operation.returns).find((one) => one !== null);
  const access = creates?.fields.v1[id]?.access;
  return isNamed && access && access !== 'read-only' ? { requestBody: { [id]: ITS_ID } } : undefined;
};

const linkName = (resource: Resource, file: string, version: Version): string =>
  `${resourceName(resource)}.${operationId(file, version)}`;

/** The links from a member to the operations on it, by their names there. */
export const linksFrom = (resource: Resource, version: Version, operations: Operations): Json =>
  Object.fromEntries(
    operations
      .filter(([, operation]) => linkTarget(resource, operation))
      .map(([file]) => [operationId(file), ref('links', linkName(resource, file, version))]),
  );

/** Every link of the document. */
export const linksOf = (resources: readonly Resource[], versions: readonly Version[], operations: Operations): Json =>
  Object.fromEntries(
    resources.flatMap((resource) =>
      versions.flatMap((version) =>
        operations.flatMap(([file, operation]) => {
          const target = linkTarget(resource, operation);
          if (!target) return [];
          const link = { operationId: operationId(file, version), ...target, description: `${operation.summary}.` };
          return [[linkName(resource, file, version), link]];
        }),
      ),
    ),
  );
