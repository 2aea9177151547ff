import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { isPublic } from '#shared/platform/http/endpoint.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const MOST_FILES = 18;

/** Every source file but those of tests, as a path from the root. */
const FILES = ['functions', 'shared', 'client', 'infra', 'local', 'bench'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|mjs)$/.test(file) && !file.startsWith('dist/'))
    .map((file) => `${folder}/${file}`),
);
const SOURCES = new Map(FILES.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));

test('no file: declares a module of another, which is an import that no rule of imports sees', () => {
  const augmenting = [...SOURCES].filter(([, text]) => /^declare module /m.test(text));
  expect(augmenting.map(([file]) => file)).toEqual([]);
});

test('the platform: names no noun of the product [docs/architecture.md, Import rules]', () => {
  const platform = [...SOURCES].filter(([file]) => file.startsWith('shared/platform/'));
  expect(platform.length).toBeGreaterThan(50);
  const nouns = /\b(customer|invoice|payment|refund)s?\b/i;
  const naming = platform.flatMap(([file, text]) => {
    const found = nouns.exec(text.replaceAll('shared/invoicing', ''));
    return found ? [`${file}: ${found[0]}`] : [];
  });
  expect(naming).toEqual([]);
});

test(`every folder of source: at most ${MOST_FILES} files`, () => {
  const folders = Object.entries(Object.groupBy(FILES, dirname));
  expect(folders.flatMap(([folder, files = []]) => (files.length > MOST_FILES ? [folder] : []))).toEqual([]);
});

test('a file name: without util, helper, manager, service, common or misc', () => {
  const names = FILES.map((file) => file.slice(file.lastIndexOf('/') + 1));
  expect(names.filter((name) => /util|helper|manager|service|common|misc/i.test(name))).toEqual([]);
});

/** The entries of the tables, by file. */
const declared = endpoints;
const all: Readonly<Record<string, unknown>> = { ...endpoints, ...workers };

test('the tables: have one entry for each file of an endpoint or a worker, under its name', () => {
  const files = FILES.filter((file) => /^functions\/.+\//.test(file)).map((file) =>
    file.slice('functions/'.length, -'.ts'.length),
  );
  expect(Object.keys(all).sort()).toEqual(files.sort());
});

test('every entry of the tables: is the default export of its file', async () => {
  for (const [file, one] of Object.entries(all)) {
    const { default: value } = await import(`#functions/${file}.ts`);
    if (typeof value !== 'function') expect([file, value === one]).toEqual([file, true]);
  }
});

const routed = Object.entries(declared).filter(([, { route }]) => route?.includes(' '));

test('two routes: never the same but for the names of their parameters', () => {
  const routes = routed.map(([, { route }]) => route.replaceAll(/\{[^}]*\}/g, '{}'));
  expect(routes.filter((route, i) => routes.indexOf(route) !== i)).toEqual([]);
  expect(routes.length).toBeGreaterThan(10);
});

test('every path: a plural collection, lower case with hyphens, nested one level at most [§1]', () => {
  const word = '[a-z]+(?:-[a-z]+)*';
  const path = new RegExp(`^/${word}s(?:/\\{[a-z_]+_id\\}(?:/${word}(?:/\\{[a-z_]+_id\\})?)?)?$`);
  const paths = routed.filter(([, one]) => !isPublic(one)).map(([, one]) => one.path);
  expect(paths.filter((one) => !path.test(one))).toEqual([]);
});

test('the file of an endpoint: is in the folder of its collection', () => {
  const misplaced = routed.filter(([file, one]) => !isPublic(one) && file.split('/')[0] !== one.path.split('/')[1]);
  expect(misplaced.map(([file, { route }]) => `${file}: ${route}`)).toEqual([]);
});

/** Prints the URLs of the modules that an import of the tables loads in Node. */
const LOADED = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  await import('#functions/index.ts');
  await import('#functions/workers.ts');
  console.log(JSON.stringify(urls));
`;

test('an import of the tables: loads no AWS SDK, no Middy, and no clients', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', LOADED], { cwd: ROOT });
  const urls = JSON.parse(stdout) as string[];
  expect(urls.filter((url) => url.includes('/functions/')).length).toBeGreaterThanOrEqual(Object.keys(declared).length);
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  expect([...new Set(packages)].sort()).toEqual(['valibot']);
  expect(
    urls.filter((url) => url.includes('/shared/platform/dynamodb/client') || url.includes('/shared/runtime/')),
  ).toEqual([]);
});
