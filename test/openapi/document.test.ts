import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { resources } from '#shared/invoicing/index.ts';
import { type Role, writeScopesOf } from '#shared/invoicing/roles.ts';
import { API, apiText, currentDocument, DOCUMENT, readSource } from '#shared/openapi/source.ts';
import { versionDocument } from '#shared/openapi/transforms/version-document.ts';
import { DEFAULT_ROUTE, routesOf } from '#shared/platform/http/routes.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { CATALOGUE } from '#shared/vocabulary.ts';
import { matrix, readableResources } from '#test/support/requests/requests.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
const document = currentDocument() as any;

const at = (method: string, path: string) => document.paths[path][method.toLowerCase()];
const resolved = (node: { $ref?: string }) =>
  node.$ref
    ?.split('/')
    .slice(1)
    .reduce((one, name) => one[name], document) ?? node;
const parameters = (method: string, path: string) =>
  Object.fromEntries((at(method, path).parameters ?? []).map(resolved).map((one: { name: string }) => [one.name, one]));
const links = (method: string, path: string, status: number) =>
  Object.fromEntries(
    Object.entries(at(method, path).responses[status].links).map(([name, link]) => [name, resolved(link as object)]),
  );

test('docs/openapi.json: the document of this checkout (npm run generate writes it)', () => {
  expect(JSON.parse(readFileSync(DOCUMENT, 'utf8'))).toEqual(document);
});

test('docs/api.txt: the lines of this checkout (npm run generate writes them)', () => {
  expect(readFileSync(API, 'utf8')).toBe(apiText());
});

test('the document under Redocly’s recommended rules: no problem, examples and their schemas included', async () => {
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const lint = [
    'node_modules/@redocly/cli/bin/cli.js',
    'lint',
    '--extends',
    'recommended',
    // The linter does not see references in extensions such as `x-without-fields`; the next test checks them.
    '--skip-rule',
    'no-unused-components',
    '--format',
    'json',
    DOCUMENT,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, lint, { env: environment, maxBuffer: 1e8 });
  const { totals, problems } = JSON.parse(stdout);
  expect(problems).toEqual([]);
  // The three that .redocly.lint-ignore.yaml allows.
  expect(totals).toMatchObject({ errors: 0, warnings: 0, ignored: 3 });
});

const versionDocuments = VERSIONS.map((version) => [version, versionDocument(document, version)] as const);

test.each([['of both versions', document], ...versionDocuments])(
  'the document %s: has exactly the components that it refers to',
  (_, one) => {
    const { securitySchemes: __, ...components } = one.components as Record<string, object>;
    const known = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    const references = JSON.stringify(one).matchAll(/"\$ref":"([^"]+)"/g);
    expect(known.length).toBeGreaterThan(100);
    expect(new Set([...references].map(([, reference]) => reference))).toEqual(new Set(known));
  },
);

test.each(versionDocuments)(
  'the document of %s: its operations and the public operations, as in the document of both versions',
  (version, one) => {
    const others = VERSIONS.filter((other) => other !== version);
    const paths = Object.entries(document.paths).filter(
      ([path]) => !others.some((other) => path.startsWith(`/${other}/`)),
    );
    expect(one['paths']).toEqual(Object.fromEntries(paths));
    const names = Object.values(one['components'] as Record<string, object>).flatMap(Object.keys);
    expect(names.filter((name) => others.some((other) => name.endsWith(other.toUpperCase())))).toEqual([]);
  },
);

test('the operations: one for every route, and no further operation', () => {
  const routes = Object.values(endpoints)
    .filter(({ route }) => route !== DEFAULT_ROUTE)
    .flatMap(routesOf)
    .filter(({ method }) => method !== 'HEAD');
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
});

test('every operation: a unique id and a description in sentences', () => {
  const all = Object.values(document.paths).flatMap((item) => Object.values(item as object));
  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  for (const { description } of all) expect(description).toMatch(/^[A-Z][^§]*\.(\n|$)/);
});

test.each(matrix)('%s: names the scope that it requires [§5]', (_, version, _name, { route, scope }) => {
  const [method = '', path = ''] = route.split(' ');
  expect(at(method, `/${version}${path}`).security).toEqual([{ access_token: [scope] }]);
});

test('a response with a new member: its id can be null in a dry run; that of any other response cannot [CONTRACT §13]', () => {
  const nullable = matrix.flatMap(([, version, name, operation]) => {
    const { method, path } = operation;
    const { responses } = at(method, `/${version}${path}`);
    const schemas = Object.values<{ $ref?: string }>(responses).map((response) =>
      resolved(resolved(response as object).content?.['application/json']?.schema ?? {}),
    );
    return schemas.some(({ properties }) => properties?.id?.type?.includes?.('null')) ? [`${version} ${name}`] : [];
  });
  const creations = new Set(matrix.flatMap(([, , name]) => (name.endsWith('/create') ? [name] : [])));
  const names = [...creations, 'webhook-endpoints/test'];
  expect(nullable.toSorted()).toEqual(
    ['v1', 'v2'].flatMap((version) => names.map((name) => `${version} ${name}`).sort()),
  );
});

test('a money object in a request: its currency has a meaning, and on create the default of v1 [CONTRACT §4 v2]', () => {
  const { InvoiceCreationV1, InvoiceCreationV2, InvoicePatchV2, PaymentCreationV2 } = document.components.schemas;
  const { currency } = InvoiceCreationV1.properties;
  const { currency: onPatch } = InvoicePatchV2.properties.total.properties;
  expect(InvoiceCreationV2.properties.total.properties.currency).toEqual(currency);
  expect(onPatch).toEqual({ ...onPatch, description: currency.description });
  expect(onPatch.default).toBeUndefined();
  expect(PaymentCreationV2.properties.amount.properties.currency.description).toMatch(/^May be omitted/);
});

test('every problem code: an operation documents it, unless it belongs to unknown routes [CONTRACT §10]', () => {
  const named = new Set(Object.keys(document.components.responses).flatMap((name) => name.split('.')));
  const unrouted = ['version-required', 'method-not-allowed'];
  expect([...named, ...unrouted].sort()).toEqual(Object.keys(CATALOGUE).sort());
});

test('the links of a response: lead to the operations that take its id', () => {
  expect(links('POST', '/v1/customers', 201)).toMatchObject({
    getCustomer: { operationId: 'getCustomerV1', parameters: { customer_id: '$response.body#/id' } },
  });
  expect(Object.keys(links('GET', '/v1/invoices/{invoice_id}', 200))).toEqual(
    expect.arrayContaining(['cancelInvoice', 'listInvoicePayments']),
  );
});

test('every resource of the list can be read by its id', () => {
  const read = [...readableResources.values()].map(({ collection }) => collection);
  expect(read.toSorted()).toEqual(
    Object.values(resources)
      .map(({ collection }) => collection)
      .toSorted(),
  );
});

test('the guide of authentication: lists the scopes that each role adds, as the list of resources has them', () => {
  const guide = readSource('docs/guides/02-authentication.md');
  const writeScopes = (role: Role) =>
    writeScopesOf(role)
      .map((scope) => `\`${scope}\``)
      .join(', ');
  expect(guide).toContain(`| \`clerk\` | the scopes of a viewer, and ${writeScopes('clerk')} |`);
  expect(guide).toContain(`every other \`write\` scope except ${writeScopes('admin')} |`);
});

test('dry_run: a parameter of every write and of no GET, without a value that a tool sends by default [CONTRACT §13]', () => {
  for (const [, version, , operation] of matrix) {
    const { method, path } = operation;
    const { dry_run } = parameters(method, `/${version}${path}`);
    const expected = { name: 'dry_run', in: 'query', description: expect.any(String), schema: { type: 'boolean' } };
    expect(dry_run).toEqual(method === 'GET' ? undefined : expected);
  }
});
