import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Every document except the specification. */
const DOCUMENTS = ['.', 'docs', 'docs/guides', 'docs/decisions'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8');

test('a link of a document to a file of the repository: the file exists', () => {
  const broken = DOCUMENTS.flatMap((document) =>
    [...textOf(document).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
      .map(([, target]) => target as string)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => !existsSync(join(ROOT, dirname(document), target)))
      .map((target) => `${document}: ${target}`),
  );
  expect(DOCUMENTS.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

test('a file that architecture.md, CONTRIBUTING.md or SECURITY.md names: exists', () => {
  const named = ['docs/architecture.md', 'CONTRIBUTING.md', 'SECURITY.md'].flatMap((document) =>
    [...textOf(document).matchAll(/`((?:shared|functions|infra|local|openapi|test|docs)\/[\w./-]+)`/g)].map(
      ([, path]) => path as string,
    ),
  );
  const examples = [
    'shared/invoicing/credit-notes/rules.ts',
    'shared/invoicing/credit-notes/resource.ts',
    'functions/credit-notes/get.ts',
  ];
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !examples.includes(path) && !existsSync(join(ROOT, path)))).toEqual([]);
});
