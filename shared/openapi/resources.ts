import type { GenericSchema } from 'valibot';
import type { Relation, Resource } from '#shared/platform/declarations/resource.ts';
import { hasMethodThat } from '#shared/platform/declarations/store-methods.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Body } from '#shared/platform/wire/body.ts';
import type { Fields } from '#shared/platform/wire/field.ts';
import { isCompared } from '#shared/platform/wire/field.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { type Json, jsonSchema, nullable } from './json-schema.ts';
import { pascalCase, resourceName, versioned } from './names.ts';
import { pageSchema } from './page-schema.ts';

export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

export const schemaRef = (name: string, version: Version): Json => ref('schemas', versioned(name, version));

export const resourceSchemas = (operations: readonly Operation[]): Json => {
  const resources = new Set(operations.flatMap(returnedResources));
  const bodies = new Set(operations.flatMap(({ body }) => body ?? []));
  return Object.assign(
    {},
    ...[...resources].map((resource) => {
      const isListed = operations.some(
        (operation) => operation.list && returnedResources(operation).includes(resource),
      );
      const isCreated = operations.some((operation) => creates(operation, resource));
      return schemasOf(resource, bodies, { isListed, isCreated });
    }),
    ...operations.flatMap((operation) => (isOwnBody(operation) ? actionBodySchemas(operation) : [])),
  );
};

/** The name of the body of a resource (`WebhookEndpointPatch`) or of an action (`WebhookEndpointRewind`). */
export const bodyName = (operation: Operation): string | undefined => {
  const [resource] = returnedResources(operation);
  if (!operation.body || !resource) return undefined;
  return resourceBody(operation)?.[0] ?? resourceName(resource) + pascalCase(operation.path.split('/').at(-1) ?? '');
};

const resourceBody = (operation: Operation) =>
  returnedResources(operation)
    .flatMap(bodiesOf)
    .find(([, body]) => body === operation.body);

const isOwnBody = (operation: Operation): boolean => operation.body !== undefined && !resourceBody(operation);

/** The schema of the body contains the descriptions of its fields. */
const actionBodySchemas = (operation: Operation): Json[] =>
  VERSIONS.map((version) => ({
    [versioned(bodyName(operation) as string, version)]: jsonSchema((operation.body as Body<unknown>)[version]),
  }));

/** The response to a GET: the fields that `fields` selects. A whole resource matches this schema, too. */
export const readableSchema = (resource: Resource, version: Version): Json =>
  schemaRef(`${resourceName(resource)}Selection`, version);

/** The response to a write, also to its dry run. */
export const writtenSchema = (operation: Operation, resource: Resource, version: Version): Json => {
  const name = resourceName(resource);
  return schemaRef(creates(operation, resource) ? createdName(name) : name, version);
};

/** Whether an operation returns a new member, whose `id` is null in a dry run (CONTRACT §13). */
const creates = (operation: Operation, resource: Resource): boolean => {
  const uses: Readonly<Record<string, readonly string[] | undefined>> = operation.uses;
  const isReturned = returnedResources(operation).includes(resource);
  return operation.isWrite && isReturned && hasMethodThat(uses[resource.table] ?? [], 'creates');
};

const createdName = (name: string): string => `Created${name}`;

/** The response of a list. */
export const pageOf = (resource: Resource, version: Version): Json =>
  schemaRef(`${resourceName(resource)}Page`, version);

/** The schemas of fields, without `readOnly`. */
export const fieldSchemas = (fields: Fields): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { schema, meaning }]) => [
      name,
      { ...jsonSchema(schema), description: meaning },
    ]),
  );

const relationsOf = (resource: Resource, version: Version): Json =>
  Object.fromEntries(
    Object.entries(resource.relations).map(([name, { resources, meaning, parts }]) => {
      const schemas = resources.map((related) => schemaRef(resourceName(related), version));
      const title = versioned(resourceName(resource) + pascalCase(name), version);
      const related = schemas.length > 1 ? { title, anyOf: schemas } : schemas[0];
      const value = parts ? { type: 'array', items: related } : { anyOf: [related, { type: 'null' }] };
      return [name, { ...value, readOnly: true, description: meaning }];
    }),
  );

const propertiesOf = (fields: Fields): Json =>
  Object.fromEntries(
    Object.entries(fieldSchemas(fields)).map(([name, schema]) => [
      name,
      { ...schema, ...(fields[name]?.access === 'read-only' && { readOnly: true }) },
    ]),
  );

const wholeSchema = (resource: Resource, version: Version): Json => ({
  type: 'object',
  properties: { ...propertiesOf(resource.fields[version]), ...relationsOf(resource, version) },
  required: Object.keys(resource.fields[version]),
});

/** The fields of a resource. None of the fields is required. */
const selectionSchema = (resource: Resource, version: Version): Json => {
  const { properties } = wholeSchema(resource, version);
  const name = resourceName(resource);
  return {
    type: 'object',
    description: `With \`fields\`, only these fields. Otherwise every field of ${versioned(name, version)}.`,
    properties,
    'x-without-fields': schemaRef(name, version),
  };
};

/**
 * The fields of a resource, with a null `id` in a dry run. In an `allOf`, the `id` of the whole resource would still
 * apply.
 */
const createdSchema = (resource: Resource, version: Version): Json => {
  const { properties, ...whole } = wholeSchema(resource, version) as { readonly properties: Record<string, Json> };
  const fields = resource.fields[version];
  const inDryRun = Object.entries(properties).map(([name, schema]) => [
    name,
    fields[name]?.existsFrom === 'creation'
      ? { ...nullable(schema), description: `${schema['description']} Null in a dry run, which creates nothing.` }
      : schema,
  ]);
  return {
    ...whole,
    description: `With \`dry_run=true\`, \`id\` is null. Otherwise it is that of ${versioned(resourceName(resource), version)}.`,
    properties: Object.fromEntries(inDryRun),
    'x-without-dry-run': schemaRef(resourceName(resource), version),
  };
};

/** The request bodies of a resource, by the names of their schemas: `InvoiceCreation`. */
const bodiesOf = (resource: Resource): readonly (readonly [name: string, body: unknown])[] => {
  const name = resourceName(resource);
  return [
    [`${name}Creation`, resource.create],
    [`${name}Replacement`, resource.replace],
    [`${name}Patch`, resource.patch],
  ];
};

const IGNORED = 'Read-only: ignored in a request.';
const COMPARED = 'Read-only: a request with another value than the response is refused.';

/** A type keeps generated clients from sending null for a value that is not set. */
const comparedSchema = (schema: GenericSchema): Json => {
  const { anyOf, ...whole } = jsonSchema(schema);
  const [{ type, format, items }, isNullable] = anyOf ? [(anyOf as Json[])[0] as Json, true] : [whole, false];
  if (type === 'object' && isNullable) return { anyOf, readOnly: true, description: COMPARED };
  const types = {
    type: isNullable ? [type, 'null'] : type,
    ...(format === 'int64' && { format }),
    ...(type === 'array' && { items }),
  };
  return { ...types, readOnly: true, description: COMPARED };
};

/** A member of a body that is no field is a list of parts. */
const withDescriptions = (resource: Resource, version: Version, schema: Json, isCreation: boolean): Json => {
  const named = Object.entries(schema['properties'] as Record<string, Json>).map(([name, facts]) => {
    const field = resource.fields[version][name];
    if (field && facts['readOnly'])
      return [
        name,
        isCreation && isCompared(name, field) ? comparedSchema(field.schema) : { ...facts, description: IGNORED },
      ];
    if (field) return [name, { ...facts, description: withDefault(field.meaning, facts) }];
    const { resources: [part] = [], parts } = resource.relations[name] as Relation;
    const items = withDescriptions(part as Resource, version, facts['items'] as Json, true);
    return [name, { ...facts, description: withDefault(parts?.meaning ?? '', facts), items }];
  });
  return { ...schema, properties: Object.fromEntries(named) };
};

/** Tools do not show `x-default`. */
const withDefault = (meaning: string, { 'x-default': value }: Json): string =>
  value === undefined ? meaning : `${meaning} Default: \`${JSON.stringify(value)}\`.`;

/** The schemas of a resource, by their names in the document. */
const schemasOf = (
  resource: Resource,
  bodies: ReadonlySet<unknown>,
  { isListed, isCreated }: { readonly isListed: boolean; readonly isCreated: boolean },
): Json =>
  Object.fromEntries(
    VERSIONS.flatMap((version) => {
      const name = resourceName(resource);
      const used = bodiesOf(resource).filter(([, body]) => bodies.has(body));
      const schemas: [string, Json][] = [
        [name, wholeSchema(resource, version)],
        [`${name}Selection`, selectionSchema(resource, version)],
        ...(isCreated ? [[createdName(name), createdSchema(resource, version)] as [string, Json]] : []),
        ...(isListed
          ? [[`${name}Page`, pageSchema(readableSchema(resource, version), version)] as [string, Json]]
          : []),
        ...used.map(([body, schema]): [string, Json] => [
          body,
          withDescriptions(
            resource,
            version,
            jsonSchema((schema as Record<Version, GenericSchema>)[version]),
            schema === resource.create,
          ),
        ]),
      ];
      return schemas.map(([schemaName, schema]) => [versioned(schemaName, version), schema]);
    }),
  );

const returnedResources = ({ returns }: Operation): Resource[] =>
  Object.values(returns).filter((resource) => resource !== null);
