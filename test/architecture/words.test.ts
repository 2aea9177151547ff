import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Files and folders whose text is checked. Add source folders here when their comments and test titles are rewritten. */
const SCANNED = [
  '.github',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'bench',
  'client',
  'docs',
  'functions',
  'infra',
  'local',
  'shared',
  'test',
];

/** The specification, generated files, packages, code of others, and this list. */
const IGNORED =
  /^(docs\/spec\/|docs\/openapi\.json$|docs\/examples\.json$|client\/source\/types\.ts$|test\/generators\/output\/|shared\/openapi\/scalar\/)|\/node_modules\/|words\.test\.ts$/;
const TEXT = /\.(ts|mjs|js|md|ya?ml)$/;

/** Idioms, and better words for them. A space matches any white space, also across the lines of a comment. */
const IDIOMS: readonly (readonly [idiom: RegExp, better: string])[] = [
  [/\banew\b/, 'again'],
  [/(?<!test:)\bartefacts?\b/, 'artifact'],
  [/\bas it lies\b/, 'unchanged'],
  [/\bbe it\b/, 'even if it is, whether'],
  [/\bbeside\b/, 'next to, compared with, in addition to'],
  [/\bby turns\b/, 'alternately'],
  [/\bcut short\b/, 'interrupted, truncated'],
  [/\bfor want of\b/, 'for lack of'],
  [/\bgo(es)? on\b/, 'continues'],
  [/\bhas become of\b/, 'has happened to'],
  [/\bin (the|its) place of\b/, 'instead of'],
  [/\b(is|are|be|not) had\b/, 'is available'],
  [/\bis none of\b/, 'is not'],
  [/\b(is|are) told\b/, 'gets, knows'],
  [/\blest\b/, 'so that … not'],
  [/\bmend(s|ed)?\b/, 'fix, correct'],
  [/\bnobody else's\b/, 'only for this'],
  [/\bnothing is kept\b/, 'nothing is stored'],
  [/\bof (its|their) own accord\b/, 'by default'],
  [/\bon paper\b/, 'calculated'],
  [/\b(, )save (for|that|one|fewer)\b/, 'except'],
  [/\bshall\b/, 'must'],
  [/\bsuch (a )?ones?\b/, 'name the thing'],
  [/\btells? of\b/, 'reports, describes'],
  [/\bthat there (is|are)\b/, 'existing'],
  [/\bthat which\b/, 'name the thing'],
  [/\b(the|an|its|each|every|this|that|whose) answer\b/, 'response'],
  [/\b(a|the|any) refusal\b/, 'error, problem'],
  [/\b(current|stale|own|old|new) tag\b/, 'ETag'],
  [/\bthe house\b/, 'the repository'],
  [/\bthere(in|of|by)\b/, 'name the thing'],
  [/\bturns? (it )?round\b/, 'reverses'],
  [/\b(what|that) is (not )?so\b/, 'name the condition'],
  [/\bwhence\b/, 'from where, the cause'],
  [/\bwhoever\b/, 'name who acts'],
];

interface Hit {
  readonly line: number;
  readonly words: string;
  readonly better: string;
}

/** Also matches an idiom that is broken across two lines, with a comment's asterisk between them. */
const acrossLines = ({ source }: RegExp): RegExp => new RegExp(source.replaceAll(' ', '(?: |\\s*\\n[\\s*/#]*)'), 'gi');

const findIdioms = (text: string): Hit[] =>
  IDIOMS.flatMap(([idiom, better]) =>
    [...text.matchAll(acrossLines(idiom))].map(({ index, 0: words }) => ({
      line: text.slice(0, index).split('\n').length,
      words: words.replaceAll(/\s*\n[\s*/#]*/g, ' '),
      better,
    })),
  );

/** The text files of a file or folder, as paths from the root. */
const filesOf = (path: string): string[] => {
  const names = statSync(join(ROOT, path)).isFile()
    ? [path]
    : readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' }).map((name) => `${path}/${name}`);
  return names.filter((name) => TEXT.test(name) && !IGNORED.test(name));
};

test('a planted idiom is found, with its line and better words, also across two lines', () => {
  expect(findIdioms('Fine.\nThe index is written anew.')).toEqual([{ line: 2, words: 'anew', better: 'again' }]);
  expect(findIdioms(' * no key is to be\n * had here')).toMatchObject([{ line: 1, words: 'be had' }]);
  expect(findIdioms('Whoever asks')).toMatchObject([{ line: 1, words: 'Whoever' }]);
});

test('documents and texts for customers use plain words (CONTRIBUTING.md, Habits)', () => {
  const files = SCANNED.flatMap(filesOf);
  expect(files.length).toBeGreaterThan(60);
  const hits = files.flatMap((file) =>
    findIdioms(readFileSync(join(ROOT, file), 'utf8')).map(
      ({ line, words, better }) => `${file}:${line}: "${words}" → ${better}`,
    ),
  );
  expect(hits).toEqual([]);
});
