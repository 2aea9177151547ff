import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, SourceTextModule } from 'node:vm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { generatedFiles } from '#client/build/write-types.ts';
import { type Served, serveApi } from '#test/client/serve-api.ts';
import { startServer } from '#test/local/server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const MOST_BYTES = 20_000;

const run = promisify(execFile);

/** The folder of a project that has installed the tarball of the package. */
let project: string;
let installed: string;
let clone: string;
let served: Served;

/** Copies the files that a clean clone has. */
const copyClone = async (to: string): Promise<void> => {
  const listed = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'client', 'LICENSE'], {
    cwd: ROOT,
  });
  for (const file of [...listed.stdout.trim().split('\n'), 'package.json', 'tsconfig.json']) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(ROOT, file), join(to, file));
  }
  await symlink(join(ROOT, 'node_modules'), join(to, 'node_modules'));
};

beforeAll(async () => {
  served = await serveApi();
  clone = await mkdtemp(join(tmpdir(), 'invoicing-clone-'));
  project = await mkdtemp(join(tmpdir(), 'invoicing-client-'));
  installed = join(project, 'node_modules/invoicing-client');
  await copyClone(clone);
  await run('npm', ['pack', './client', '--ignore-scripts=false', '--pack-destination', project], { cwd: clone });
  await writeFile(join(project, 'package.json'), '{"type": "module"}');
  const [tarball = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
  await run('npm', ['install', '--offline', '--no-audit', `./${tarball}`], { cwd: project });
  await mkdir(join(project, 'node_modules/@types'), { recursive: true });
  await symlink(join(ROOT, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
});
afterAll(async () => {
  await served.stop();
  for (const directory of [project, clone]) await rm(directory, { recursive: true });
});

test('the tarball of a clean clone: contains code with a source map, types, licence and README', async () => {
  expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toBe(await readFile(join(ROOT, 'LICENSE'), 'utf8'));
  const dist = await readdir(join(installed, 'dist'));
  for (const file of ['index.js', 'index.js.map', 'index.d.ts', 'types.d.ts']) expect(dist).toContain(file);
});

test.each(['client/README.md', 'docs/guides/18-clients.md'])('%s: installs the file that was packed', async (file) => {
  const [, name = ''] = /^npm install \.\/(\S+)$/m.exec(await readFile(join(ROOT, file), 'utf8')) ?? [];
  expect(await readdir(project)).toContain(name);
});

test('an error in Node with source maps: prints the name of its class, and a stack of the sources', async () => {
  const program = `import { createClient } from 'invoicing-client';
    await createClient({ baseUrl: 'http://127.0.0.1:9', token: 'x', retries: 0 }).invoices.get(1);`;
  await writeFile(join(project, 'fails.js'), program);
  const { stderr } = await run(process.execPath, ['--enable-source-maps', 'fails.js'], { cwd: project }).catch(
    (error: { stderr: string }) => error,
  );
  expect(stderr).toMatch(/^InvoicingError: network-error: .*\(GET \/v1\/invoices\/1\)$/m);
  expect(stderr).toMatch(/at .*invoicing-client\/source\/attempt\.ts:\d+/);
});

const COMPILER = {
  ...{ strict: true, module: 'nodenext', target: 'es2022' },
  lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
};

/** Compiles a file of the project. */
const tsc = async (file: string, text: string, options: object): Promise<void> => {
  await writeFile(join(project, file), text);
  const config = { compilerOptions: { ...COMPILER, ...options }, files: [file] };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  await run(process.execPath, [TSC, '-p', project]);
};

/** Compiles a file of the project with the strictest settings; returns the errors. */
const compile = async (file: string, text: string, types: readonly string[]): Promise<string> => {
  const strictest = { noEmit: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, types };
  return tsc(file, text, strictest).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
};

test(`the module, minified: at most ${MOST_BYTES.toLocaleString('en')} bytes`, async () => {
  const entryPoints = [join(installed, 'dist/index.js')];
  const { outputFiles } = await build({ entryPoints, bundle: true, minify: true, format: 'esm', write: false });
  const bytes = outputFiles[0]?.contents.length ?? 0;
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});

test('the bundle: imports nothing, and runs with the globals of a browser', async () => {
  const code = await readFile(join(installed, 'dist/index.js'), 'utf8');
  const web = { fetch, crypto, Headers, URL, URLSearchParams, AbortController, AbortSignal, Response, ReadableStream };
  const context = createContext({ ...web, setTimeout, clearTimeout });
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

test('the generated files: match docs/openapi.json (otherwise run `npm run generate`)', async () => {
  for (const [path, text] of generatedFiles()) expect(await readFile(path, 'utf8')).toBe(text);
});

const TYPED = `
import { createClient, InvoicingError, verifyWebhook, type CustomerV1, type InvoiceV1, type InvoiceV2 } from 'invoicing-client';
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
is<number>((await client.invoices.list({ page: 2 })).total_count);
is<string | null>((await client.invoices.list()).next_cursor);
is<string | null>((await client.invoices.list({ limit: 5 })).next_cursor);
is<InvoiceV1>(await client.invoices.cancel(1));
is<InvoiceV2>(await v2.invoices.create({ total: { amount: 1 } }));
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
is<number | null>((await verifyWebhook(new Headers(), '', [''])).sequence);
await client.webhookEndpoints.rewind(1, { sequence: 0 });
// @ts-expect-error a rewind needs a sequence
await client.webhookEndpoints.rewind(1);

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

/** The type that an editor shows for an expression of {@link TYPED}'s clients. */
const SHOWN = {
  'client.invoices.create':
    '<const O extends CreateOptions>(body: InvoiceCreationV1, options?: O | undefined) => Promise<Created<InvoicesV1, O>>',
  'client.invoices.cancel': '(id: number, options?: CreateOptions & WriteOptions) => Promise<InvoiceV1>',
  'client.invoices.payments': '(id: number) => Readable<Below<PaymentsV1>>',
  'client.webhookEndpoints.rewind':
    '(id: number, body: WebhookEndpointRewindV1, options?: CreateOptions & WriteOptions) => Promise<WebhookEndpointV1>',
  'await client.invoices.get(1)': 'InvoiceV1',
  "await client.invoices.create({}, { idempotencyKey: '' })": 'InvoiceV1',
  'await client.invoices.list()': 'CursorPage<InvoiceV1>',
  'await client.invoices.list({ page: 1 })': 'OffsetPage<InvoiceV1>',
  "(await client.invoices.get(1, { expand: ['customer'] })).customer": 'CustomerV1 | null',
  "client.events.follow({ from: 'now' })": 'Feed<EventV1>',
  'await v2.invoices.get(1)': 'InvoiceV2',
};

test('methods and their results: the types that an editor shows have the names of resources', async () => {
  const expressions = Object.keys(SHOWN).map((expression, i) => `export const x${i} = ${expression};`);
  const clients = TYPED.split('\n').slice(0, 4);
  const options = { declaration: true, emitDeclarationOnly: true, types: [] };
  await tsc('shown.ts', [...clients, ...expressions].join('\n'), options);
  const declarations = (await readFile(join(project, 'shown.d.ts'), 'utf8')).replaceAll(/import\("[^"]+"\)\./g, '');
  const shown = [...declarations.matchAll(/^export declare const x\d+: (.*?);$/gms)].map(([, type]) => type);
  expect(Object.fromEntries(Object.keys(SHOWN).map((expression, i) => [expression, shown[i]]))).toEqual(SHOWN);
});

test('the examples of the README: compile, and run in their order on the served API', async () => {
  const readme = await readFile(join(ROOT, 'client/README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  expect(examples.length).toBe(10);
  const server = await startServer();
  try {
    const program = examples.join('\n').replaceAll('http://127.0.0.1:3000', server.url);
    expect(await compile('readme.ts', program, ['node'])).toBe('');
    const environment = { ...process.env, TOKEN: server.token };
    const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: project, env: environment });
    expect(stdout.trimEnd().split('\n')).toEqual([
      'open 125000',
      '112500 93750',
      '125000 Ada Lovelace',
      '112500 Ada Lovelace',
      '2 2',
      '0',
      'succeeded',
      'Consulting, travel included',
      'null 10000',
      '1 customer.created []',
      '2 invoice.created []',
      '3 invoice.created []',
      '4 invoice_item.created []',
      '5 payment.created []',
      '{"sequence":5}',
      'invalid-webhook: the header webhook-id is missing',
      '422 100000',
      '4',
      '125000 USD',
    ]);
  } finally {
    await server.stop();
  }
});
