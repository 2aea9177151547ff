import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { apiLines } from '#shared/openapi/compatibility/api-lines.ts';
import { breakingChanges } from '#shared/openapi/compatibility/breaking-changes.ts';
import { DOCUMENT } from '#shared/openapi/source.ts';
import { conditional } from '#shared/platform/wire/schema.ts';
import { extent, partOf } from '#test/support/extent/extent.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test changes any part of the document
type Any = any;

const text = readFileSync(DOCUMENT, 'utf8');
const released = apiLines(JSON.parse(text));
const changed = (change: (document: Any) => void): string[] => {
  const document = JSON.parse(text);
  change(document);
  return breakingChanges(released, apiLines(document));
};

const schemas = ({ components }: Any) => components.schemas;
const fieldsOf = (document: Any, schema: string) => schemas(document)[schema].properties;
const remove = (list: Any[], value: unknown) => list.splice(list.indexOf(value), 1);
const header = (document: Any, path: string, status: number) => document.paths[path].get.responses[status].headers;

/** Changes that break a client, by a line that the change causes. */
const BREAKING: Readonly<Record<string, (document: Any) => void>> = {
  'removed: GET /v1/invoices': (d) =>
    Object.assign(d.paths, { '/v1/bills': d.paths['/v1/invoices'], '/v1/invoices': {} }),
  'removed: GET /v1/invoices: listInvoicesV1': (d) =>
    Object.assign(d.paths['/v1/invoices'].get, { operationId: 'invoices' }),
  'added: GET /v1/invoices: must authenticate with access_token invoices:read customers:read': (d) =>
    d.paths['/v1/invoices'].get.security[0].access_token.push('customers:read'),
  'removed: access_token: http bearer': (d) =>
    Object.assign(d.components.securitySchemes.access_token, { scheme: 'basic' }),
  'added: PUT /v1/invoices/{invoice_id}: must have header If-Match': (d) =>
    Object.assign(d.components.parameters['If-Match'], { required: true }),
  'added: GET /v1/invoices: must have query year': (d) =>
    d.paths['/v1/invoices'].get.parameters.push({ name: 'year', in: 'query', required: true, schema: {} }),
  'removed: GET /v1/invoices query after': ({
    paths: {
      '/v1/invoices': { get },
    },
  }) => {
    get.parameters = get.parameters.filter(({ $ref = '' }: Any) => !$ref.endsWith('/after'));
  },
  'added: GET /v1/invoices query limit: must match maximum 50': (d) =>
    Object.assign(d.components.parameters.limit.schema, { maximum: 50 }),
  'added: POST /v1/customers body: must have email': (d) => schemas(d).CustomerCreationV1.required.push('email'),
  'added: POST /v1/customers body: must have region': (d) => {
    fieldsOf(d, 'CustomerCreationV1').region = { type: 'string' };
    schemas(d).CustomerCreationV1.required.push('region');
  },
  'removed: POST /v1/customers body.tax_id': (d) => delete fieldsOf(d, 'CustomerCreationV1').tax_id,
  'removed: POST /v1/customers body.email: string': (d) =>
    Object.assign(fieldsOf(d, 'CustomerCreationV1').email, { readOnly: true }),
  'removed: POST /v1/customers body.address: may be null': (d) => fieldsOf(d, 'CustomerCreationV1').address.anyOf.pop(),
  'added: POST /v1/invoices body.currency: must be one of': (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').currency, { enum: ['GBP', 'USD'] }),
  'added: POST /v1/invoices body.currency: must match pattern ^[A-Z]{4}$': (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').currency, { pattern: '^[A-Z]{4}$' }),
  'removed: POST /v1/invoices body.status: default "open"': (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').status, { default: 'draft' }),
  'removed: POST /v1/invoices body.metadata.*': (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').metadata, { additionalProperties: false }),
  'removed: POST /v1/exports body.type invoices status': (d) =>
    remove(schemas(d).ExportCreationV1.else.then.properties.filter.propertyNames.enum, 'status'),
  'added: POST /v1/exports body.format csv: then must have filter': (d) => {
    const { if: condition, then: consequence, else: others } = schemas(d).ExportCreationV1;
    const isCsv = { properties: { format: { const: 'csv' } } };
    const known = conditional(condition, consequence, others);
    Object.assign(schemas(d).ExportCreationV1, conditional(isCsv, { required: ['filter'] }, known));
  },
  'removed: GET /v1/invoices/{invoice_id} 200 ETag': (d) => delete header(d, '/v1/invoices/{invoice_id}', 200).ETag,
  'removed: GET /v1/invoices 200 X-Request-Id': (d) => delete header(d, '/v1/invoices', 200)['X-Request-Id'],
  'removed: GET /v1/invoices 403': (d) => delete d.paths['/v1/invoices'].get.responses[403],
  'removed: GET /v1/exports/{export_id}/file 409 export-not-ready': (d) =>
    Object.assign(d.paths['/v1/exports/{export_id}/file'].get.responses, {
      409: d.paths['/v1/invoices/{invoice_id}'].delete.responses[409],
    }),
  'removed: response CustomerV1.name': (d) => delete fieldsOf(d, 'CustomerV1').name,
  'added: response CustomerV1.name: sometimes absent': (d) => remove(schemas(d).CustomerV1.required, 'name'),
  'added: response CustomerV1.name: sometimes null': (d) =>
    Object.assign(fieldsOf(d, 'CustomerV1').name, { type: ['string', 'null'] }),
  'removed: response CustomerV1.created_at: format date-time': (d) =>
    delete fieldsOf(d, 'CustomerV1').created_at.format,
  'removed: response InvoiceStatus paid': (d) => remove(schemas(d).InvoiceStatus.enum, 'paid'),
  'removed: response EventResourceV1: is CustomerV1': (d) => schemas(d).EventResourceV1.anyOf.shift(),
  'removed: response InvoicePageV1: has per_page if it has page': (d) =>
    delete schemas(d).InvoicePageV1.dependentRequired.page,
  'removed: response WebhookEvent.sequence': (d) => delete fieldsOf(d, 'WebhookEvent').sequence,
};

/** Changes that pass: a request may contain more, a response contains more, or only the wording changes. */
const PASSING: Readonly<Record<string, (document: Any) => void>> = {
  'a new operation': (d) => Object.assign(d.paths, { '/v1/receipts': d.paths['/v1/refunds'] }),
  'a public operation': (d) => Object.assign(d.paths['/v1/invoices'].get, { security: [] }),
  'a required parameter becomes optional': (d) =>
    Object.assign(d.paths['/v1/payments'].post.parameters[1], { required: false }),
  'a required field becomes optional': (d) => schemas(d).CustomerCreationV1.required.pop(),
  'a field can be null in a request': (d) =>
    Object.assign(fieldsOf(d, 'CustomerCreationV1').name, { type: ['string', 'null'] }),
  'a maximum is raised': (d) => Object.assign(d.components.parameters.limit.schema, { maximum: 200 }),
  'a minimum is lowered': (d) => Object.assign(fieldsOf(d, 'CustomerCreationV1').name, { minLength: 0 }),
  'a limit is removed': (d) => delete fieldsOf(d, 'InvoiceCreationV1').currency.pattern,
  'a new value with a condition': (d) => {
    schemas(d).ExportType.enum.push('receipts');
    const { if: condition, then: consequence, else: others } = schemas(d).ExportCreationV1;
    const isNew = { properties: { type: { const: 'receipts' } } };
    const known = conditional(condition, consequence, others);
    Object.assign(schemas(d).ExportCreationV1, conditional(isNew, { required: ['filter'] }, known));
  },
  'a field of a response is always present': (d) => schemas(d).Problem.required.push('errors'),
  'a field of a response is never null': (d) => Object.assign(fieldsOf(d, 'CustomerV1').email, { type: 'string' }),
  'a limit of a response': (d) => Object.assign(fieldsOf(d, 'CustomerV1').name, { maxLength: 20 }),
  'a new header of a webhook': (d) =>
    d.webhooks.event.post.parameters.push({ name: 'webhook-id-2', in: 'header', required: true, schema: {} }),
  'other texts and examples': (d) => {
    fieldsOf(d, 'CustomerV1').name.description = 'The name of a customer.';
    delete d.paths['/v1/customers'].post.requestBody.content['application/json'].examples;
  },
};

test.each(partOf(Object.entries(BREAKING), 12))('a change that breaks a client: "%s" [CONTRACT §11]', (line, plant) => {
  expect(changed(plant)).toContainEqual(line);
});

test('all changes that no client notices, in one document: pass [CONTRACT §11]', () => {
  const changes = changed((document) => {
    for (const plant of Object.values(PASSING)) plant(document);
  });
  expect(changes).toEqual([]);
});

/** Visits each object of the document, except examples and conditions. */
const visit = (node: Any, at: (node: Any) => void): void => {
  if (typeof node !== 'object' || node === null) return;
  at(node);
  for (const [key, inner] of Object.entries(node)) if (!/^(examples|x-default|default|if)$/.test(key)) visit(inner, at);
};

test('an addition to each operation, response and schema: passes [CONTRACT §11]', () => {
  const additions = changed((document) =>
    visit(document, (node) => {
      node.enum?.push('added');
      node['x-problem-codes']?.push('added');
      if (node.type === 'object' && node.properties) node.properties.added = { type: 'string' };
      if (node.operationId && node.responses) {
        node.responses[299] = { description: 'Added.' };
        node.parameters?.push({ name: 'added', in: 'query', schema: { type: 'string' } });
      }
    }),
  );
  expect(additions).toEqual([]);
});

test('each member, value, header and status removed, one at a time: reported [CONTRACT §11]', () => {
  const document = JSON.parse(text);
  const lists: Any[] = [];
  visit({ ...document, components: { ...document.components, schemas: wholeSchemas(document) } }, (node) => {
    for (const list of [
      node.properties,
      node.enum,
      node['x-problem-codes'],
      node.headers,
      node.operationId && node.responses,
    ]) {
      const keys = Object.keys(list || {}).filter((key) => list[key]);
      lists.push(...keys.map((key) => [list, key]));
    }
  });
  const step = Math.ceil(lists.length / extent({ full: 400, part: 5 }));
  const unreported = lists.filter(([list, key], i) => {
    if (i % step > 0) return false;
    const { [key]: before } = list;
    delete list[key];
    const lines = apiLines(document);
    list[key] = before;
    return breakingChanges(released, lines).length === 0;
  });
  expect(unreported.map(([, key]) => key)).toEqual([]);
});

/** A selection of fields and a created resource have no lines: the next test compares them with the whole resource. */
const wholeSchemas = (document: Any) =>
  Object.fromEntries(
    Object.entries<Any>(schemas(document)).filter(([, one]) => !(one['x-without-fields'] ?? one['x-without-dry-run'])),
  );

test('a schema with `x-without-fields` or `x-without-dry-run`: the members of that schema', () => {
  const document = JSON.parse(text);
  for (const schema of Object.values<Any>(schemas(document))) {
    const whole = schema['x-without-fields'] ?? schema['x-without-dry-run'];
    if (whole)
      expect(Object.keys(schema.properties)).toEqual(Object.keys(fieldsOf(document, whole.$ref.split('/')[3])));
  }
});

test('a condition on several values: an error, so that it cannot change unnoticed', () => {
  expect(() =>
    changed((d) => Object.assign(schemas(d).RefundCreationV1, conditional({ required: ['reason'] }, {}))),
  ).toThrow('No line for the condition {"required":["reason"]}.');
});
