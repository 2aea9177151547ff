import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { isPublic } from '#shared/platform/http/endpoint.ts';
import { routesOf } from '#shared/platform/http/routes.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Every document except the specification. */
const DOCUMENTS = ['.', '.github', 'client', 'docs', 'docs/guides', 'docs/site', 'docs/decisions'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8');

/** The text without blocks of code. */
const proseOf = (document: string): string => textOf(document).replaceAll(/^ *```.*?^ *```$/gms, '');

/** A column of the site, 1440 pixels wide, has room for so many characters. It shows a tab as four spaces. */
const COLUMNS = 76;

test(`a line of code in a guide: at most ${COLUMNS} characters`, () => {
  const long = DOCUMENTS.filter((document) => document.startsWith('docs/guides/')).flatMap((document) =>
    (textOf(document).match(/^ *```.*?^ *```$/gms) ?? [])
      .flatMap((block) => block.split('\n'))
      .filter((line) => line.replaceAll('\t', '    ').length > COLUMNS)
      .map((line) => `${document}: ${line}`),
  );
  expect(long).toEqual([]);
});

/** The docs page shows the guides, so they may link to a page of the service. */
const isPage = (target: string): boolean =>
  Object.values(endpoints).some(
    (endpoint) => isPublic(endpoint) && routesOf(endpoint).some(({ pattern }) => pattern.test(target)),
  );

test('a link of a document: leads to an existing file of the repository or an existing page of the service', () => {
  const broken = DOCUMENTS.flatMap((document) =>
    [...proseOf(document).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
      .map(([, target]) => target as string)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => !existsSync(join(ROOT, dirname(document), target)) && !isPage(target))
      .map((target) => `${document}: ${target}`),
  );
  expect(DOCUMENTS.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

/** The anchors that GitHub gives to the headings of a document. */
const anchorsOf = (document: string): string[] =>
  [...proseOf(document).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\d_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

test('a link to a heading of a document: leads to an existing heading', () => {
  const links = DOCUMENTS.flatMap((document) =>
    [...proseOf(document).matchAll(/\]\(([\w./-]*\.md)?#([^)\s]+)\)/g)].map(([, path, anchor]) => ({
      document,
      target: path ? join(dirname(document), path) : document,
      anchor: anchor as string,
    })),
  );
  expect(links.length).toBeGreaterThan(40);
  expect(links.filter(({ target, anchor }) => !anchorsOf(target).includes(anchor))).toEqual([]);
});

const WITH_PATHS = ['docs/architecture.md', 'docs/aws-unknowns.md', 'CONTRIBUTING.md', 'SECURITY.md'];

test('a file that architecture.md, aws-unknowns.md, CONTRIBUTING.md or SECURITY.md names: exists', () => {
  const named = WITH_PATHS.flatMap((document) =>
    [...textOf(document).matchAll(/`((?:shared|functions|infra|local|openapi|test|docs|client)\/[\w./-]+)`/g)].map(
      ([, path]) => path as string,
    ),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('aws-unknowns.md: each assumption has a name of its own, names a file where the code relies on it, and has a source', () => {
  const rows = textOf('docs/aws-unknowns.md').match(/^\| \*\*.*$/gm) ?? [];
  const names = rows.map((row) => /^\| \*\*([a-z0-9-]+)\*\*: /.exec(row)?.[1]);
  const lacking = rows.filter((row) => {
    const [, assumption = '', code = ''] = row.split('|');
    return !(/\]\[\w+\]|[Nn]ot documented|[Aa]ssumed|Measured/.test(assumption) && /`\w+\//.test(code));
  });
  expect(rows.length).toBeGreaterThan(35);
  expect(new Set(names).size).toBe(rows.length);
  expect(lacking).toEqual([]);
});

test('a link by reference in aws-unknowns.md: is defined, and each definition is used', () => {
  const text = textOf('docs/aws-unknowns.md');
  const labels = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, label]) => label))].sort();
  expect(labels(/\]\[(\w+)\]/g)).toEqual(labels(/^\[(\w+)\]: https:/gm));
});

test('a document that a source file or a test names: exists', () => {
  const folders = ['functions', 'shared', 'infra', 'local', 'client/source', 'bench', 'test'];
  const named = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs|js)$/.test(name) && !/\b(node_modules|generators\/output)\//.test(name))
      .flatMap((name) => textOf(join(folder, name)).match(/\bdocs\/[\w./-]+\.md\b/g) ?? []),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

const decisions = readdirSync(join(ROOT, 'docs/decisions'))
  .filter((name) => /^\d/.test(name))
  .sort();

test('the index of decisions: lists each note by the number of its file and its title, and no other note', () => {
  const rows = textOf('docs/decisions/README.md').match(/^\| \[.*$/gm);
  const titles = decisions.map((name) => {
    const [, number, title] = /^# (\d{4}): (\S.*)/.exec(textOf(`docs/decisions/${name}`)) ?? [];
    expect(name.slice(0, '0000-'.length)).toBe(`${number}-`);
    return `| [${number}](${name}) | ${title} |`;
  });
  expect(decisions.length).toBeGreaterThan(30);
  expect(rows).toEqual(titles);
});

test('a decision has a date and at most 25 lines', () => {
  for (const name of decisions) {
    const text = textOf(`docs/decisions/${name}`);
    expect([name, /^Date: \d{4}-\d\d-\d\d\./m.test(text)]).toEqual([name, true]);
    expect([name, text.trimEnd().split('\n').length <= 25]).toEqual([name, true]);
  }
});

test('docs/README.md links to every document of its folder', () => {
  const index = textOf('docs/README.md');
  const documents = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(documents.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});

test('the README has at most 150 lines, and the glossary at most 40 terms', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(150);
  expect(textOf('docs/glossary.md').match(/^\| (?!term)/gm)?.length).toBeLessThanOrEqual(40);
});
