import { NOUNS } from '#shared/invoicing/roles.ts';
import { type Endpoint, isPublic, type Operation, type PublicOperation } from '#shared/platform/endpoint.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { declarationsOf, refusalsOf } from './declarations.ts';
import { HEADERS } from './headers.ts';
import type { Json } from './json-schema.ts';
import { linksOf, type Operations } from './links.ts';
import { collectionOf, title } from './names.ts';
import { pathsOf, tagOf } from './operations.ts';
import { PARAMETERS } from './parameters.ts';
import { PROBLEM_SCHEMAS, problemName, problemResponse } from './problems.ts';
import { PUBLIC, type PublicOperations, publicPaths } from './public-operations.ts';
import { examples, type RecordedExchange } from './recorded.ts';
import { resourceSchemas } from './resources.ts';

/** What the document is made of: the table, and the words and the examples that no declaration holds. */
export interface Source {
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** Markdown: the guides. */
  readonly guides: string;
  readonly exchanges: readonly RecordedExchange[];
  readonly release: string;
}

type Endpoints = readonly (readonly [file: string, endpoint: Endpoint])[];

const operationsOf = (endpoints: Endpoints): Operations =>
  endpoints.filter((entry): entry is [string, Operation] => !isPublic(entry[1]));

const publicOf = (endpoints: Endpoints): PublicOperations =>
  endpoints.filter((entry): entry is [string, PublicOperation] => isPublic(entry[1]));

const collections = (operations: Operations): string[] => [
  ...new Set(operations.map(([, operation]) => collectionOf(operation))),
];

const tagsOf = (operations: Operations): Json => {
  const all = collections(operations).flatMap((collection) =>
    VERSIONS.map((version) => ({ collection, version, name: tagOf(collection, version) })),
  );
  return {
    tags: [
      ...all.map(({ collection, version, name }) => ({
        name,
        description: `${title(collection)}, as ${version} writes them.`,
        'x-displayName': title(collection),
      })),
      { name: PUBLIC, description: 'Without a version, and without a token.' },
    ],
    'x-tagGroups': [
      ...VERSIONS.map((version) => ({
        name: version,
        tags: all.filter((one) => one.version === version).map(({ name }) => name),
      })),
      { name: 'Unversioned', tags: [PUBLIC] },
    ],
  };
};

/** Each set of codes that some operation answers a status with, once, and what was recorded of it. */
const responsesOf = (endpoints: Endpoints, exchanges: readonly RecordedExchange[]): Json => {
  const all = endpoints.flatMap(([file, endpoint]) =>
    [...refusalsOf(endpoint)].map(([status, codes]) => ({
      file,
      status,
      written: declarationsOf(endpoint).writes(status),
      codes,
      name: problemName(codes),
    })),
  );
  return Object.fromEntries(
    [...Map.groupBy(all, ({ name }) => name)].map(([name, answers]) => {
      const [{ status, codes }] = answers as [(typeof all)[number]];
      const met = exchanges.filter((one) => one.status === status && answers.some(({ file }) => file === one.file));
      const told = met.map((one) => ({ ...one, title: `${one.title} (${one.version})` }));
      return [
        name,
        problemResponse(
          status,
          codes,
          [...new Set(answers.flatMap(({ written }) => written))],
          examples(told, ({ body }) => body),
        ),
      ];
    }),
  );
};

const componentsOf = (endpoints: Endpoints, exchanges: readonly RecordedExchange[]): Json => {
  const operations = operationsOf(endpoints);
  const resources = new Set(
    operations.flatMap(([, { returns }]) => Object.values(returns).filter((one) => one !== null)),
  );
  return {
    schemas: { ...resourceSchemas(operations.map(([, operation]) => operation)), ...PROBLEM_SCHEMAS },
    responses: responsesOf(endpoints, exchanges),
    parameters: PARAMETERS,
    headers: HEADERS,
    links: linksOf([...resources], VERSIONS, operations),
    securitySchemes: {
      access_token: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'An access token of the configured issuer; see the guide to authentication.',
      },
    },
  };
};

/** The OpenAPI 3.1 document of the whole interface, both versions of it. */
export const documentOf = ({ endpoints: table, guides, exchanges, release }: Source): Json => {
  const endpoints = Object.entries(table).filter(([, { route }]) => route !== DEFAULT_ROUTE);
  const operations = operationsOf(endpoints);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Invoicing',
      version: release,
      summary: `${title(new Intl.ListFormat('en-GB').format(NOUNS))}.`,
      description: guides,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    ...tagsOf(operations),
    paths: { ...pathsOf(operations, exchanges), ...publicPaths(publicOf(endpoints), exchanges) },
    components: componentsOf(endpoints, exchanges),
  };
};
