import type { Resource } from '#shared/platform/declarations/resource.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Json } from './json-schema.ts';
import { operationId, resourceName } from './names.ts';
import { ref } from './resources.ts';

/** Operations by the names of their files. */
export type Operations = readonly (readonly [file: string, operation: Operation])[];

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

/** References to the links of a resource. */
export const linksFrom = (resource: Resource, version: Version, operations: Operations): Json =>
  Object.fromEntries(
    operations
      .filter(([, operation]) => linkTarget(resource, operation))
      .map(([file]) => [operationId(file), ref('links', linkName(resource, file, version))]),
  );

const idName = ({ type }: Resource): string => `${type}_id`;

/**
 * A link passes the id of a resource as the only path parameter. No link has a `requestBody`, because openapi-generator
 * rejects one that is an object.
 */
const linkTarget = (resource: Resource, operation: Operation): Json | undefined => {
  const parameters = operation.path.match(/(?<=\{)\w+/g) ?? [];
  const id = idName(resource);
  return parameters.length === 1 && parameters[0] === id ? { parameters: { [id]: '$response.body#/id' } } : undefined;
};

const linkName = (resource: Resource, file: string, version: Version): string =>
  `${resourceName(resource)}.${operationId(file, version)}`;
