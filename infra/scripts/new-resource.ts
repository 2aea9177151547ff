import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { filesOf, type Insertion, insertionsOf } from './new/templates.ts';
import { type Words, wordsOf } from './new/words.ts';

/*
 * npm run new -- purchase-orders: writes a resource with POST, GET and a list, its lines in handwritten lists, and then all
 * generated files. The working directory is the repository.
 */

const run = (command: string): void => {
  // npm is a script that only a shell can start on Windows.
  const { status, stdout, stderr } = spawnSync(command, { shell: true, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${stdout}${stderr}\n${command} failed.`);
};

/** The changed files, by path. */
const insertAll = (insertions: readonly Insertion[]): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const { path, before, text } of insertions) {
    const [start = '', end, ...more] = (files.get(path) ?? readFileSync(path, 'utf8')).split(before);
    if (end === undefined || more.length > 0)
      throw new Error(`${path} does not contain this text once: ${before.trim()}`);
    files.set(path, start + text + before + end);
  }
  return files;
};

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const decisions = ({ collection, name, store, one, many }: Words): string => `
Decide:
- Fields: shared/invoicing/${collection}/rules.ts and resource.ts, and the example in test/support/requests/examples.ts.
- The entry ${store} in shared/invoicing/index.ts: its writer (clerk, accountant or admin), its filters, whether it is
  exported (isExported), the fields whose values only one member has (unique: ['external_id']), the fields that name another
  resource (references: { customer_id: 'customers' }), its events (statuses, computed and hidden attributes; none: remove
  them and isIndexed if rows are deleted in large transactions).
- Rules: pure functions in rules.ts with a test in test/unit/invoicing. One that does not hold throws ProblemError; a new
  code needs a line in shared/vocabulary.ts and its texts in shared/invoicing/problem-explanations.ts.
- POST: whether a key is required (idempotency: 'required'), and whether a clerk is limited (shared/invoicing/policy.ts).
- Parents: what a deletion of a resource that ${one} names does.
- The clauses: a line in docs/spec/CONTRACT.md comes first, then tests of it, and a line in CHANGELOG.md.
Then: npm run generate && npm run check && npm test. ${many.charAt(0).toUpperCase()}${many.slice(1)} are served: npm start (${name} in /docs).`;

const create = (words: Words): void => {
  const files = filesOf(words);
  const existing = Object.keys(files).find((path) => existsSync(path));
  if (existing) throw new Error(`${existing} exists already.`);
  const written = new Map([...Object.entries(files), ...insertAll(insertionsOf(words))]);
  for (const [path, text] of written) write(path, text);
  const changed = [...written.keys()];
  run(`npx biome check --write ${changed.filter((path) => path.endsWith('.ts')).join(' ')}`);
  console.log(changed.join('\n'));
  console.log('The generated files …');
  run('npm run --silent generate');
  console.log(decisions(words));
};

const [collection = '', ...more] = process.argv.slice(2);
try {
  if (more.length > 0) throw new Error('Give one plural noun, such as purchase-orders.');
  create(wordsOf(collection));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
