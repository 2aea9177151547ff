import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, SourceTextModule } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildClient } from '#client/build/bundle.ts';
import { typesOf } from '#client/build/types.ts';
import { currentTypes, TYPES } from '#client/build/write-types.ts';
import { type Served, serveApi } from '#test/client/serve-api.ts';
import { startServer } from '#test/local/server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const MOST_BYTES = 10_000;

const run = promisify(execFile);

/** The folder of a project with the package installed. */
let project: string;
let bytes: number;
let served: Served;
beforeAll(async () => {
  served = await serveApi();
  project = await mkdtemp(join(tmpdir(), 'invoicing-client-'));
  const installed = join(project, 'node_modules/invoicing-client');
  await mkdir(join(project, 'node_modules/@types'), { recursive: true });
  bytes = await buildClient(join(installed, 'dist'));
  await copyFile(join(ROOT, 'client/package.json'), join(installed, 'package.json'));
  await symlink(join(ROOT, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
  await writeFile(join(project, 'package.json'), '{"type": "module"}');
});
afterAll(async () => {
  await served.stop();
  await rm(project, { recursive: true });
});

/** Compiles a file of the project with the strictest settings; returns the errors. */
const compile = async (file: string, text: string, types: readonly string[]): Promise<string> => {
  await writeFile(join(project, file), text);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], types },
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  return run(process.execPath, [TSC, '-p', project]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
};

test(`the bundle: at most ${MOST_BYTES.toLocaleString('en')} bytes`, () => {
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});

test('the bundle: imports nothing, and runs with the globals of a browser', async () => {
  const code = await readFile(join(project, 'node_modules/invoicing-client/dist/index.js'), 'utf8');
  const web = {
    fetch,
    crypto,
    Headers,
    URL,
    URLSearchParams,
    AbortController,
    AbortSignal,
    setTimeout,
    clearTimeout,
    Response,
    ReadableStream,
  };
  const context = createContext({ ...web });
  const module = new SourceTextModule(code, { context });
  await module.link(() => {
    throw new Error('The bundle has an import.');
  });
  await module.evaluate();
  const { createClient } = module.namespace as typeof import('#client/source/index.ts');
  const client = createClient({ baseUrl: served.url, token: await served.service.token() });
  const { id } = await client.customers.create({ name: 'Ada' });
  expect(await client.customers.update(id, { name: 'Ada King' })).toMatchObject({ name: 'Ada King' });
  const names: string[] = [];
  for await (const { name } of client.customers.list()) names.push(name);
  expect(names).toEqual(['Ada King']);
});

test('the types: those of docs/openapi.json (otherwise run `npm run client:types`)', async () => {
  expect(currentTypes()).toBe(await readFile(TYPES, 'utf8'));
});

test('a document without Problem or with an unknown type: generating the types fails', () => {
  const document = { paths: {}, components: { schemas: {}, parameters: {} } };
  expect(() => typesOf(document)).toThrow('docs/openapi.json has no schema Problem.');
  const odd = { properties: { a: { type: 'tuple' } } };
  expect(() => typesOf({ ...document, components: { schemas: { Problem: odd }, parameters: {} } })).toThrow(
    'a has the type tuple, which client/build/schema.ts does not know.',
  );
});

const TYPED = `
import { createClient, InvoicingError, type CustomerV1, type InvoiceV1, type InvoiceV2 } from 'invoicing-client';
const client = createClient({ baseUrl: '', token: '' });
const v2 = createClient({ baseUrl: '', token: async () => '', version: 'v2' });
const is = <T>(value: T): T => value;

for await (const row of client.invoices.list({ status: 'open', fields: ['id', 'status'], expand: ['customer'] })) {
  is<{ id: number; status: 'draft' | 'open' | 'paid' | 'canceled'; customer: CustomerV1 | null }>(row);
  // @ts-expect-error total_cents is not selected
  row.total_cents;
}
// @ts-expect-error only expand adds customer
(await client.invoices.get(1)).customer;
is<number>((await client.invoices.list({ page: 2 }).page()).total_count);
is<string | null>((await client.invoices.list().page()).next_cursor);
is<string | null>((await client.invoices.list({ limit: 5 }).page()).next_cursor);
is<Omit<InvoiceV1, 'customer'>>(await client.invoices.cancel(1));
is<Omit<InvoiceV2, 'customer'>>(await v2.invoices.create({ total: { amount: 1 } }));
is<number>((await v2.invoices.get(1)).total.amount);
await client.invoices.replace(1, { ...(await client.invoices.get(1)), description: 'x' });
const error = new InvoicingError('timeout', '');
if (error.code === 'amount-exceeds-due') is<number | undefined>(error.problem?.amount_due_cents);

// @ts-expect-error v2 has no pages by number
v2.invoices.list({ page: 2 });
// @ts-expect-error the two styles do not mix
client.invoices.list({ page: 2, limit: 3 });
// @ts-expect-error a misspelt filter
client.invoices.list({ stauts: 'open' });
// @ts-expect-error a misspelt field
client.invoices.list({ fields: ['idd'] });
// @ts-expect-error a required field
await client.payments.create({ amount_cents: 4 });
// @ts-expect-error a payment is immutable
client.payments.patch;
// @ts-expect-error the payments of an invoice have no filter
client.invoices.payments(1).list({ invoice_id: 1 });
// @ts-expect-error an unknown code
error.code === 'amount-exceeds-deu';
`;

test('a project without the types of Node: correct calls compile, and wrong ones do not', async () => {
  expect(await compile('typed.ts', TYPED, [])).toBe('');
});

test('the examples of the README: compile, and run in their order on the served API', async () => {
  const readme = await readFile(join(ROOT, 'client/README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  expect(examples.length).toBe(7);
  const server = await startServer();
  try {
    const program = examples.join('\n').replaceAll('http://127.0.0.1:3000', server.url);
    expect(await compile('readme.ts', program, ['node'])).toBe('');
    const environment = { ...process.env, TOKEN: server.token };
    const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: project, env: environment });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'open 125000',
      '125000 Ada Lovelace',
      '1 1',
      '0',
      'succeeded',
      'Consulting, travel included',
      '422 100000',
      '3',
      '125000 USD',
    ]);
  } finally {
    await server.stop();
  }
}, 90_000);
