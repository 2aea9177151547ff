import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { breakingChanges } from '#shared/openapi/compatibility/breaking-changes.ts';
import { DOCUMENT } from '#shared/openapi/source.ts';
import { conditional } from '#shared/platform/wire/schema.ts';
import { partOf } from '#test/support/extent/extent.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test changes any part of the document
type Any = any;

const text = readFileSync(DOCUMENT, 'utf8');
const released: Any = JSON.parse(text);
const changed = (change: (document: Any) => void): string[] => {
  const current = JSON.parse(text);
  change(current);
  return breakingChanges(released, current);
};

const schemas = ({ components }: Any) => components.schemas;
const fieldsOf = (document: Any, schema: string) => schemas(document)[schema].properties;
const parameterOf = (document: Any, path: string, name: string) =>
  document.paths[path].get.parameters.find((one: Any) => one.name === name);
const remove = (list: Any[], value: unknown): void => {
  list.splice(list.indexOf(value), 1);
};
const NEW_CUSTOMER = 'POST /v1/customers: request body';
const NEW_INVOICE = 'POST /v1/invoices: request body';
const CREATED = 'POST /v1/customers: response 201';

/** Changes that break a client, by a message that each of them causes. */
const BREAKING: Readonly<Record<string, (document: Any) => void>> = {
  'GET /v1/invoices: is removed': (d) => delete d.paths['/v1/invoices'].get,
  'POST /v2/refunds: is removed': (d) => delete d.paths['/v2/refunds'],
  'GET /v1/invoices: operationId is now invoices, was listInvoicesV1': (d) =>
    Object.assign(d.paths['/v1/invoices'].get, { operationId: 'invoices' }),
  'GET /v1/invoices: now requires [{"access_token":["invoices:read","customers:read"]}]': (d) =>
    d.paths['/v1/invoices'].get.security[0].access_token.push('customers:read'),
  'GET /health: now requires [{"access_token":[]}]': (d) =>
    Object.assign(d.paths['/health'].get, { security: [{ access_token: [] }] }),
  'security scheme "access_token" is removed or changed': (d) =>
    Object.assign(d.components.securitySchemes.access_token, { scheme: 'basic' }),
  'PUT /v1/invoices/{invoice_id}: header parameter "If-Match" is newly required': (d) =>
    Object.assign(d.components.parameters['If-Match'], { required: true }),
  'GET /v1/invoices: query parameter "year" is newly required': (d) =>
    d.paths['/v1/invoices'].get.parameters.push({ name: 'year', in: 'query', required: true, schema: {} }),
  'GET /v1/invoices: query parameter "fields" has another explode': (d) =>
    Object.assign(parameterOf(d, '/v1/invoices', 'fields'), { explode: true }),
  'GET /v1/invoices: query parameter "limit" has another maximum: 100 is now 50': (d) =>
    Object.assign(d.components.parameters.limit.schema, { maximum: 50 }),
  [`${NEW_INVOICE}: field "currency" has another pattern: "^[A-Z]{3}$" is now "^[A-Z]{4}$"`]: (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').currency, { pattern: '^[A-Z]{4}$' }),
  'GET /v1/invoices: query parameter "fields[]" no longer allows "status"': (d) =>
    remove(parameterOf(d, '/v1/invoices', 'fields').schema.items.enum, 'status'),
  [`${NEW_CUSTOMER}: field "tax_id" is removed`]: (d) => delete fieldsOf(d, 'CustomerCreationV1').tax_id,
  [`${NEW_CUSTOMER}: field "email" is newly required`]: (d) => schemas(d).CustomerCreationV1.required.push('email'),
  [`${NEW_CUSTOMER}: field "region" is newly required`]: (d) => {
    fieldsOf(d, 'CustomerCreationV1').region = { type: 'string' };
    schemas(d).CustomerCreationV1.required.push('region');
  },
  [`${NEW_CUSTOMER}: field "email" has another readOnly: none is now true`]: (d) =>
    Object.assign(fieldsOf(d, 'CustomerCreationV1'), { email: { readOnly: true } }),
  [`${NEW_CUSTOMER}: field "email" no longer allows the type null`]: (d) =>
    Object.assign(fieldsOf(d, 'CustomerCreationV1').email, { type: 'string' }),
  [`${NEW_CUSTOMER}: field "address" no longer allows the type null`]: (d) =>
    fieldsOf(d, 'CustomerCreationV1').address.anyOf.pop(),
  [`${NEW_INVOICE}: field "currency" now allows only "GBP", "USD"`]: (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').currency, { enum: ['GBP', 'USD'] }),
  [`${NEW_INVOICE}: field "description" has another minLength: none is now 1`]: (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').description, { minLength: 1 }),
  [`${NEW_INVOICE}: field "due_date" has another format: "date" is now "date-time"`]: (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').due_date, { format: 'date-time' }),
  [`${NEW_INVOICE}: field "status" has another default: "open" is now "draft"`]: (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').status, { default: 'draft' }),
  [`${NEW_INVOICE}: field "metadata.*" has another maxLength: 500 is now 100`]: (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').metadata.additionalProperties, { maxLength: 100 }),
  [`${NEW_INVOICE}: field "metadata.(names)" has another maxLength: 40 is now 20`]: (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').metadata.propertyNames, { maxLength: 20 }),
  [`${NEW_INVOICE}: field "metadata.*" is no longer allowed`]: (d) =>
    Object.assign(fieldsOf(d, 'InvoiceCreationV1').metadata, { additionalProperties: false }),
  [`${NEW_INVOICE} must now have "customer_id" whenever it has "due_date"`]: (d) =>
    Object.assign(schemas(d).InvoiceCreationV1, { dependentRequired: { due_date: ['customer_id'] } }),
  'POST /v1/exports: request body: field "filter.(names)" no longer allows "status"': (d) =>
    remove(schemas(d).ExportCreationV1.else.then.properties.filter.propertyNames.enum, 'status'),
  'POST /v1/refunds: request body is newly restricted if {"required":["reason"]}': (d) =>
    Object.assign(schemas(d).RefundCreationV1, conditional({ required: ['reason'] }, { required: ['amount_cents'] })),
  'GET /v1/customers: response 200: field "data[].name" is no longer always present': (d) =>
    remove(schemas(d).CustomerV1.required, 'name'),
  [`${CREATED}: field "name" can now have the type null`]: (d) =>
    Object.assign(fieldsOf(d, 'CustomerV1').name, { type: ['string', 'null'] }),
  [`${CREATED}: field "id" can now have the type null`]: (d) =>
    Object.assign(fieldsOf(d, 'CustomerV1').id, { type: ['integer', 'null'] }),
  [`${CREATED}: field "name" can now have the type boolean`]: (d) =>
    Object.assign(fieldsOf(d, 'CreatedCustomerV1').name, { type: ['string', 'boolean'] }),
  [`${CREATED}: field "address" no longer has the type object`]: (d) => fieldsOf(d, 'CustomerV1').address.anyOf.shift(),
  [`${CREATED}: field "created_at" has another format: "date-time" is now none`]: (d) =>
    delete fieldsOf(d, 'CustomerV1').created_at.format,
  'POST /v1/invoices: response 201: field "status" no longer has "paid"': (d) =>
    remove(fieldsOf(d, 'InvoiceV1').status.enum, 'paid'),
  'POST /v1/invoices: response 201: field "status" can now have any value': (d) =>
    delete fieldsOf(d, 'InvoiceV1').status.enum,
  'GET /v1/events/{event_id}: response 200: field "resource" no longer has CustomerV1': (d) =>
    schemas(d).EventResourceV1.anyOf.shift(),
  'GET /v1/invoices: response 200 no longer has "per_page" whenever it has "page"': (d) =>
    delete schemas(d).InvoicePageV1.dependentRequired.page,
};

/** Changes that pass: a request may contain more, a response contains more, or only the wording changes. */
const PASSING: Readonly<Record<string, (document: Any) => void>> = {
  'a new operation': (d) => Object.assign(d.paths, { '/v1/receipts': d.paths['/v1/refunds'] }),
  'a required parameter becomes optional': (d) =>
    Object.assign(d.paths['/v1/payments'].post.parameters[1], { required: false }),
  'an operation that is public': (d) => Object.assign(d.paths['/v1/invoices'].get, { security: [] }),
  'another way to authenticate': (d) => d.paths['/v1/invoices'].get.security.push({ key: [] }),
  'a field of a request becomes optional': (d) => schemas(d).CustomerCreationV1.required.pop(),
  'a field of a request can be null': (d) =>
    Object.assign(fieldsOf(d, 'CustomerCreationV1').name, { type: ['string', 'null'] }),
  'a new value of a request with a condition of its own': (d) => {
    fieldsOf(d, 'ExportCreationV1').type.enum.push('receipts');
    const { if: condition, then: consequence, else: others } = schemas(d).ExportCreationV1;
    const known = conditional(condition, consequence, others);
    const isNew = { properties: { type: { const: 'receipts' } } };
    Object.assign(schemas(d).ExportCreationV1, conditional(isNew, { required: ['filter'] }, known));
  },
  'the width of an integer in a request': (d) =>
    Object.assign(fieldsOf(d, 'InvoiceItemCreationV1').quantity, { format: 'int64' }),
  'a condition is removed': (d) => {
    for (const keyword of ['if', 'then', 'else']) delete schemas(d).ExportCreationV1[keyword];
  },
  'a limit of a request is raised': (d) => Object.assign(fieldsOf(d, 'CustomerCreationV1').name, { maxLength: 2000 }),
  'a limit of a request is removed': (d) => delete fieldsOf(d, 'InvoiceCreationV1').currency.pattern,
  'a field of a response is always present': (d) => schemas(d).Problem.required.push('errors'),
  'a kind of embedded resource': (d) =>
    schemas(d).EventResourceV1.anyOf.unshift({ type: 'object', title: 'CreditNote' }),
  'a field of a response is never null': (d) => Object.assign(fieldsOf(d, 'CustomerV1').email, { type: 'string' }),
  'a limit of a response is raised': (d) => Object.assign(fieldsOf(d, 'CustomerV1').name, { maxLength: 2000 }),
  'a new header of a webhook': (d) =>
    d.webhooks.event.post.parameters.push({ name: 'webhook-id-2', in: 'header', required: true, schema: {} }),
  'a schema has another name': (d) => {
    schemas(d).Client = schemas(d).CustomerV1;
    d.paths['/v1/customers'].post.responses[201].content['application/json'].schema.$ref =
      '#/components/schemas/Client';
  },
  'other texts and examples': (d) => {
    d.info.description = '';
    fieldsOf(d, 'CustomerV1').name.description = 'The name of a customer.';
    delete d.paths['/v1/customers'].post.requestBody.content['application/json'].examples;
  },
};

test('the same document: no breaking change', () => {
  expect(changed(() => {})).toEqual([]);
});

test.each(partOf(Object.entries(BREAKING), 6))('a change that breaks a client: %s [CONTRACT §11]', (message, plant) => {
  expect(changed(plant)).toContainEqual(message);
});

test.each(Object.entries(PASSING))('%s: passes [CONTRACT §11]', (_, plant) => {
  expect(changed(plant)).toEqual([]);
});

test('an embedded resource is removed, and another one has all its fields: reported [CONTRACT §11]', () => {
  const [before, after] = [JSON.parse(text), JSON.parse(text)];
  schemas(before).ReceiptV1 = structuredClone(schemas(before).RefundV1);
  delete fieldsOf(before, 'ReceiptV1').payment_id;
  remove(schemas(before).ReceiptV1.required, 'payment_id');
  schemas(before).EventResourceV1.anyOf.unshift({ $ref: '#/components/schemas/ReceiptV1' });
  expect(breakingChanges(before, after)).toContainEqual(
    'GET /v1/events: response 200: field "data[].resource" no longer has ReceiptV1',
  );
});

test('a null id in dry runs is documented later: passes, because a client that sends no `dry_run` reads the same', () => {
  const [before, after] = [JSON.parse(text), JSON.parse(text)];
  const { content } = before.paths['/v1/customers'].post.responses[201];
  content['application/json'].schema = { $ref: '#/components/schemas/CustomerV1' };
  expect(breakingChanges(before, after)).toEqual([]);
});

test('a reference to a schema that does not exist: an error that names it', () => {
  expect(() => changed((d) => delete schemas(d).RefundV1)).toThrow('#/components/schemas/RefundV1 does not exist');
});

test('several changes: all are reported at once, each once', () => {
  expect(
    changed((d) => {
      delete d.paths['/v1/invoices'].get;
      schemas(d).RefundCreationV1.required.push('reason');
      delete fieldsOf(d, 'WebhookEvent').sequence;
    }),
  ).toEqual([
    'GET /v1/invoices: is removed',
    'POST /v1/refunds: request body: field "reason" is newly required',
    'webhook event: request body: field "sequence" is removed',
  ]);
});

test('a keyword without a rule: an error, so that it cannot change unnoticed', () => {
  expect(() =>
    changed((d) => Object.assign(fieldsOf(d, 'InvoiceCreationV1').currency, { not: { const: 'XXX' } })),
  ).toThrow('shared/openapi/compatibility has no rule for not.');
});
