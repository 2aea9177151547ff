import { NOUNS } from '#shared/invoicing/roles.ts';
import { type Endpoint, isPublic, type Operation, type PublicOperation } from '#shared/platform/http/endpoint.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { declarationsOf, problemCodesByStatus } from './declarations.ts';
import { HEADERS } from './headers.ts';
import type { Json } from './json-schema.ts';
import { linksOf, type Operations } from './links.ts';
import { collectionOf, title } from './names.ts';
import { pathsOf, tagOf } from './operations.ts';
import { PARAMETERS } from './parameters.ts';
import { PROBLEM_SCHEMAS, problemName, problemResponse } from './problems.ts';
import { PUBLIC_TAG, type PublicOperations, publicPaths } from './public-operations.ts';
import { examples, type RecordedExchange } from './recorded.ts';
import { resourceSchemas } from './resources.ts';
import { withNamedSchemas } from './transforms/named-schemas.ts';
import { WEBHOOK_SCHEMAS, webhooksOf } from './webhooks.ts';

/** The table of endpoints, and the inputs that no declaration contains. */
export interface Source {
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly exchanges: readonly RecordedExchange[];
  readonly release: string;
}

/** Where `npm start` listens. Tools that read the document from a file need a server with a host. */
const LOCAL = 'http://127.0.0.1:3000';

const GUIDES = `Begin with [getting started](/docs/getting-started). Other guides explain [access tokens](/docs/authentication),
[errors and retries](/docs/errors), [idempotency](/docs/idempotency), [pagination](/docs/pagination), the
[life of an invoice](/docs/life-of-an-invoice) and [all else](/docs).`;

/** What the members of a collection are. */
const TAGS: Readonly<Record<string, string>> = {
  customers: 'The customers of an account. An [issued invoice](/docs/invoice-numbers) keeps the customer as it was.',
  invoices:
    'What customers owe: draft, open, paid or canceled. See the [life of an invoice](/docs/life-of-an-invoice).',
  'invoice-items': 'The lines of an invoice, with [quantity, discount and tax](/docs/lines-and-tax).',
  payments: 'Money received for an invoice. The service [records it](/docs/payments-and-corrections), and moves none.',
  refunds: 'Money returned from a [payment](/docs/payments-and-corrections).',
  'credit-notes': 'What an invoice [no longer claims](/docs/payments-and-corrections#credit-an-invoice).',
  'number-series': 'The [numbers](/docs/invoice-numbers) of invoices and credit notes, without gaps.',
  exports: 'All rows of a collection in a [CSV or JSONL file](/docs/exports).',
  events: 'Every change of an account, in order and without gaps. See [events](/docs/events).',
  'webhook-endpoints': 'The addresses that receive the events. See [webhooks](/docs/webhooks).',
  'webhook-deliveries': 'The events sent to a webhook endpoint, with their [attempts](/docs/webhooks).',
};

/** The OpenAPI 3.1 document of both versions. */
export const documentOf = ({ endpoints: table, exchanges, release }: Source): Json => {
  const endpoints = Object.entries(table).filter(([, { route }]) => route !== DEFAULT_ROUTE);
  const operations = operationsOf(endpoints);
  return withNamedSchemas({
    openapi: '3.1.1',
    info: {
      title: 'Duebook',
      version: release,
      summary: `${title(new Intl.ListFormat('en-GB').format(NOUNS))}.`,
      description: GUIDES,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: '/', description: 'The host of this document' },
      { url: LOCAL, description: 'Local service' },
    ],
    ...tagsOf(operations),
    paths: { ...pathsOf(operations, exchanges), ...publicPaths(publicOf(endpoints), exchanges) },
    webhooks: webhooksOf(exchanges),
    components: componentsOf(endpoints, exchanges),
  });
};

type Endpoints = readonly (readonly [file: string, endpoint: Endpoint])[];

const componentsOf = (endpoints: Endpoints, exchanges: readonly RecordedExchange[]): Json => {
  const operations = operationsOf(endpoints);
  const resources = new Set(
    operations.flatMap(([, { returns }]) => Object.values(returns).filter((resource) => resource !== null)),
  );
  return {
    schemas: {
      ...resourceSchemas(operations.map(([, operation]) => operation)),
      ...WEBHOOK_SCHEMAS,
      ...PROBLEM_SCHEMAS,
    },
    responses: responsesOf(endpoints, exchanges),
    parameters: PARAMETERS,
    headers: HEADERS,
    links: linksOf([...resources], VERSIONS, operations),
    securitySchemes: {
      access_token: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'An access token from the configured issuer. See [Authentication](/docs/authentication).',
      },
    },
  };
};

/** One shared response for each set of problem codes, with the recorded examples of all its operations. */
const responsesOf = (endpoints: Endpoints, exchanges: readonly RecordedExchange[]): Json => {
  const all = endpoints.flatMap(([file, endpoint]) =>
    [...problemCodesByStatus(endpoint)].map(([status, codes]) => ({
      file,
      status,
      headerNames: declarationsOf(endpoint).writes(status),
      codes,
      name: problemName(codes),
    })),
  );
  return Object.fromEntries(
    [...Map.groupBy(all, ({ name }) => name)].map(([name, responses]) => {
      const [{ status, codes }] = responses as [(typeof all)[number]];
      const recordings = exchanges.filter(
        (exchange) => exchange.status === status && responses.some(({ file }) => file === exchange.file),
      );
      const titledRecordings = recordings.map((exchange) => ({
        ...exchange,
        title: `${exchange.title} (${exchange.version})`,
      }));
      return [
        name,
        problemResponse(
          status,
          codes,
          [...new Set(responses.flatMap(({ headerNames }) => headerNames))],
          examples(titledRecordings, ({ body }) => body),
        ),
      ];
    }),
  );
};

const tagsOf = (operations: Operations): Json => {
  const all = collections(operations).flatMap((collection) =>
    VERSIONS.map((version) => ({ collection, version, name: tagOf(collection, version) })),
  );
  return {
    tags: [
      ...all.map(({ collection, name }) => ({
        name,
        description: TAGS[collection] ?? title(collection),
        'x-displayName': title(collection),
      })),
      { name: PUBLIC_TAG, description: 'No version in the path, and no access token.' },
    ],
    'x-tagGroups': [
      ...VERSIONS.map((version) => ({
        name: version,
        tags: all.filter((tag) => tag.version === version).map(({ name }) => name),
      })),
      { name: 'Unversioned', tags: [PUBLIC_TAG] },
    ],
  };
};

const collections = (operations: Operations): string[] => [
  ...new Set(operations.map(([, operation]) => collectionOf(operation))),
];

const operationsOf = (endpoints: Endpoints): Operations =>
  endpoints.filter((entry): entry is [string, Operation] => !isPublic(entry[1]));

const publicOf = (endpoints: Endpoints): PublicOperations =>
  endpoints.filter((entry): entry is [string, PublicOperation] => isPublic(entry[1]));
