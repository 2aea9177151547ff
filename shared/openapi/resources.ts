import type { GenericSchema } from 'valibot';
import type { Operation } from '#shared/platform/endpoint.ts';
import type { Resource } from '#shared/platform/resource.ts';
import type { Fields } from '#shared/platform/wire/field.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { type Json, jsonSchema } from './json-schema.ts';
import { resourceName, versioned } from './names.ts';

export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
export const schemaRef = (name: string, version: Version): Json => ref('schemas', versioned(name, version));

const propertiesOf = (resource: Resource, version: Version): Json =>
  Object.fromEntries(
    Object.entries(resource.fields[version]).map(([name, { schema, access, meaning }]) => {
      const facts = { ...jsonSchema(schema), description: meaning };
      return [name, { ...facts, ...(access === 'read-only' && { readOnly: true }) }];
    }),
  );

const relationsOf = ({ relations }: Resource, version: Version): Json =>
  Object.fromEntries(
    Object.entries(relations).map(([name, { resource, meaning }]) => [
      name,
      {
        anyOf: [schemaRef(resourceName(resource), version), { type: 'null' }],
        readOnly: true,
        description: meaning,
      },
    ]),
  );

const wholeSchema = (resource: Resource, version: Version): Json => ({
  type: 'object',
  properties: { ...propertiesOf(resource, version), ...relationsOf(resource, version) },
  required: Object.keys(resource.fields[version]),
});

/** The very same fields, none of which has to be there. */
const selectionSchema = (resource: Resource, version: Version): Json => {
  const { properties } = wholeSchema(resource, version);
  return { type: 'object', description: 'What `fields` names of it, and what `expand` does.', properties };
};

/** What a GET answers with for one member: all of it, or what `fields` names. */
export const readableSchema = (resource: Resource, version: Version): Json => {
  const name = resourceName(resource);
  return { anyOf: [schemaRef(name, version), schemaRef(`${name}Selection`, version)] };
};

const CURSOR_STYLE: Json = {
  next_cursor: {
    type: ['string', 'null'],
    description: 'What to send as `after` for the next page: opaque. Null when there is none.',
  },
  has_more: { type: 'boolean', description: 'Whether more rows follow.' },
};
const OFFSET_STYLE: Json = {
  page: { type: 'integer', minimum: 1, description: 'The number of this page.' },
  per_page: { type: 'integer', minimum: 1, maximum: 100, description: 'How many rows a page has.' },
  total_count: { type: 'integer', minimum: 0, description: 'How many rows there are in all: exact.' },
};

const pageSchema = (resource: Resource, version: Version, style: Json): Json => {
  const data = { type: 'array', maxItems: 100, items: readableSchema(resource, version) };
  return { type: 'object', properties: { data, ...style }, required: ['data', ...Object.keys(style)] };
};

/** What a list answers with; v2 has cursors only (CONTRACT §4 v2). */
export const pageOf = (resource: Resource, version: Version): Json => {
  const name = resourceName(resource);
  const cursor = schemaRef(`${name}CursorPage`, version);
  return version === 'v1' ? { anyOf: [cursor, schemaRef(`${name}OffsetPage`, version)] } : cursor;
};

/** The bodies of a resource, by what the document calls them: `NewInvoice`. */
const bodiesOf = (resource: Resource): readonly (readonly [name: string, body: unknown])[] => {
  const name = resourceName(resource);
  return [
    [`New${name}`, resource.create],
    [`${name}Replacement`, resource.replace],
    [`${name}Patch`, resource.patch],
  ];
};

const withDescriptions = (fields: Fields, schema: Json): Json => {
  const named = Object.entries(schema['properties'] as Record<string, Json>).map(([name, facts]) => {
    if (facts['readOnly']) return [name, { ...facts, description: 'Read-only: accepted, and ignored.' }];
    return [name, { ...facts, description: fields[name]?.meaning }];
  });
  return { ...schema, properties: Object.fromEntries(named) };
};

/** What a resource's operations read and write, by the names of the document's schemas. */
const schemasOf = (resource: Resource, bodies: ReadonlySet<unknown>, isListed: boolean): Json =>
  Object.fromEntries(
    VERSIONS.flatMap((version) => {
      const name = resourceName(resource);
      const written = bodiesOf(resource).filter(([, body]) => bodies.has(body));
      const pages: [string, Json][] = [
        [`${name}CursorPage`, pageSchema(resource, version, CURSOR_STYLE)],
        ...(version === 'v1'
          ? [[`${name}OffsetPage`, pageSchema(resource, version, OFFSET_STYLE)] as [string, Json]]
          : []),
      ];
      const schemas: [string, Json][] = [
        [name, wholeSchema(resource, version)],
        [`${name}Selection`, selectionSchema(resource, version)],
        ...(isListed ? pages : []),
        ...written.map(([body, schema]): [string, Json] => [
          body,
          withDescriptions(resource.fields[version], jsonSchema((schema as Record<Version, GenericSchema>)[version])),
        ]),
      ];
      return schemas.map(([one, schema]) => [versioned(one, version), schema]);
    }),
  );

const returnedResources = ({ returns }: Operation): Resource[] => Object.values(returns).filter((one) => one !== null);

/** Every schema of the document that is a resource's. */
export const resourceSchemas = (operations: readonly Operation[]): Json => {
  const resources = new Set(operations.flatMap(returnedResources));
  const bodies = new Set(operations.flatMap(({ body }) => body ?? []));
  return Object.assign(
    {},
    ...[...resources].map((resource) => {
      const isListed = operations.some((one) => one.list && returnedResources(one).includes(resource));
      return schemasOf(resource, bodies, isListed);
    }),
  );
};

/** The name of the schema of an operation's body. */
export const bodyName = (operation: Operation): string | undefined => {
  const found = returnedResources(operation).flatMap(bodiesOf);
  return found.find(([, body]) => body === operation.body)?.[0];
};
