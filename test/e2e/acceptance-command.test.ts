import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FAULTS } from '#test/acceptance/examples/faults/index.ts';
import { notes } from '#test/acceptance/examples/notes.ts';
import { listenerOf, serve } from '#test/acceptance/examples/serve.ts';
import { Tickets } from '#test/acceptance/examples/tickets.ts';

/** The command line, against the services of examples. */

const fileOf = (name: string): string => fileURLToPath(new URL(`../acceptance/${name}`, import.meta.url));
const NOTES = fileOf('examples/notes.json');
const TICKETS = fileOf('examples/tickets.json');

const faulty = new Tickets();
FAULTS['304 without Cache-Control']?.(faulty);
const [correct, wrong] = await Promise.all([serve(notes), serve(listenerOf((request) => faulty.handle(request)))]);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'acceptance-'));
});
afterAll(async () => {
  await Promise.all([correct.stop(), wrong.stop(), rm(folder, { recursive: true })]);
});

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (...options: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [fileOf('run.ts'), ...options], (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

const onNotes = ['--profile', NOTES, '--url', correct.url];
const onTickets = ['--profile', TICKETS, '--url', wrong.url];

const profileWith = async (name: string, members: object): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(NOTES, 'utf8')), ...members }));
  return file;
};

describe('a wrong call: one line on standard error, and exit code 2', () => {
  const calls: readonly (readonly [name: string, options: () => Promise<string[]> | string[], line: RegExp])[] = [
    ['an unknown option', () => ['--fast'], /^Unknown option '--fast'; expected: npm run acceptance -- \[--url/],
    [
      'a profile that does not exist',
      () => ['--profile', 'none.json'],
      /^Cannot read the profile none\.json: ENOENT\.$/,
    ],
    ['a profile that is not JSON', () => ['--profile', fileOf('run.ts')], /run\.ts is not JSON: /],
    [
      'a profile with an unknown member',
      async () => ['--profile', await profileWith('a', { list: { limt: 'n' } })],
      /a: list\.limt is wrong: /,
    ],
    [
      'a profile without a member',
      async () => ['--profile', await profileWith('b', { missing: undefined })],
      /b: missing is wrong: /,
    ],
    [
      'a body without {unique}',
      async () => ['--profile', await profileWith('c', { create: { title: 'x' } })],
      /c: create is wrong: must contain \{unique\}/,
    ],
    [
      'a profile and --handlers',
      () => ['--profile', NOTES, '--handlers'],
      /^--handlers is this service, and --profile/,
    ],
    [
      'a profile without tokens',
      async () => ['--profile', await profileWith('d', { tokens: undefined }), '--url', correct.url],
      /^The profile of notes has no tokens/,
    ],
    [
      'a token command that fails',
      () => [...onNotes, '--token-command', 'echo no >&2; false'],
      /^No token: the token command issues no token for --account .*: no/,
    ],
    [
      'a service that does not respond',
      () => ['--profile', NOTES, '--url', 'http://127.0.0.1:1'],
      /^No service responds at http:\/\/127\.0\.0\.1:1: ECONNREFUSED\.$/,
    ],
    ['this service, which does not respond', () => ['--url', 'http://127.0.0.1:1'], /^No service responds at /],
    [
      'an address that is none',
      () => ['--url', 'ftp://x'],
      /^Expected --url to be the http or https address of a service, not ftp:\/\/x\.$/,
    ],
    [
      '--only without a group',
      () => [...onNotes, '--only', 'invoices'],
      /^No group has "invoices" in its name; the groups are: notes: authentication, /,
    ],
    [
      'a file that cannot be written',
      () => [...onNotes, '--only', 'HEAD', '--junit', '/none/x.xml'],
      /^Cannot write \/none\/x\.xml: ENOENT\.$/,
    ],
  ];

  test.concurrent.each(calls)('%s', async (_, options, line) => {
    const { exitCode, stderr } = await run(...(await options()));
    expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr.trim()).toMatch(line);
  });
});

test('a correct service: a line for each group, the table at the end, exit code 0', async () => {
  const { exitCode, stdout, stderr } = await run(...onNotes);
  expect([exitCode, stderr]).toEqual([0, '']);
  const lines = stdout.trim().split('\n');
  expect(lines.filter((line) => /^ok {4}notes: [\w ]+: \d+ passed$/.test(line))).toHaveLength(8);
  expect(lines.at(-1)).toMatch(/^\| Total \| 63 \| 0 \| 0 \| [\d.]+ \|$/);
});

test('a fault: its check with the clause and the last requests, JUnit, a summary, exit code 1', async () => {
  const [junit, summary] = [join(folder, 'junit.xml'), join(folder, 'summary.md')];
  await writeFile(summary, 'Before\n');
  const { exitCode, stdout } = await run(...onTickets, '--only', 'CONDITIONAL', '--junit', junit, '--summary', summary);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('FAIL  tickets: conditional requests: 9 passed, 1 failed');
  expect(stdout).toMatch(
    / {2}FAIL {2}If-None-Match with the ETag: 304, .* \[§4\]\n[\s\S]*Last requests:\n(.*\n)* +GET \/tickets\/\d+: 304, /,
  );
  expect(stdout).toMatch(/\n\| Total \| 9 \| 1 \| 0 \| [\d.]+ \|\n$/);
  expect(await readFile(summary, 'utf8')).toMatch(
    /^Before\n### Acceptance\n\n\| group .*\n\|---.*\n\| tickets: .*\n\| Total \| 9 \| 1 /,
  );
  const xml = await readFile(junit, 'utf8');
  expect(elementsOf(xml)).toEqual({ testsuites: 1, testsuite: 1, testcase: 10, failure: 1 });
  expect(xml).toContain('<testsuite name="tickets: conditional requests" tests="10" failures="1" skipped="0"');
});

test('--bail: ends at the first failure', async () => {
  const { exitCode, stdout } = await run(...onTickets, '--bail');
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/\n\| Total \| 16 \| 1 \| 0 \| [\d.]+ \|\n$/);
});

test('a profile that omits groups: their checks are skipped, with the reason, exit code 0', async () => {
  const profile = await profileWith('omits', { omits: { CORS: 'No page calls it.', delete: 'Notes stay.' } });
  const junit = join(folder, 'skipped.xml');
  const { exitCode, stdout } = await run('--profile', profile, '--url', correct.url, '--junit', junit);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('notes: CORS: 0 passed, 7 skipped');
  expect(stdout).toContain(
    '\n- 6 skipped: notes has no delete: Notes stay.\n- 7 skipped: notes has no CORS: No page calls it.\n',
  );
  expect(elementsOf(await readFile(junit, 'utf8'))).toMatchObject({ testcase: 63, skipped: 13 });
});

test('--token-command with a profile: called with --account and --sub alone', async () => {
  const command = `node -e 'const [, , account, ...rest] = process.argv; console.log(rest[0] === "--sub" && rest.length === 2 ? "key-of-" + account : "x")' --`;
  const { exitCode, stdout } = await run(
    ...onNotes,
    '--token-command',
    command,
    '--accounts',
    'ada,grace',
    '--only',
    'hiding',
  );
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('| Total | 8 | 0 | 0 |')]);
});

/** How many elements of each name a well-formed document has. @throws Error if it is not well-formed */
const elementsOf = (xml: string): Record<string, number> => {
  const open: string[] = [];
  const counts: Record<string, number> = {};
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '');
  const rest = body.replaceAll(/<(\/?)(\w+)((?: \w+="[^"<]*")*)(\/?)>/g, (_, close, name, _attributes, empty) => {
    if (close && open.pop() !== name) throw new Error(`</${name}> closes another element.`);
    if (!close) counts[name] = (counts[name] ?? 0) + 1;
    if (!close && !empty) open.push(name);
    return '';
  });
  const stray = /[<>]|&(?!(amp|lt|gt|quot);)/.exec(rest) ?? /&(?!(amp|lt|gt|quot);)/.exec(body);
  if (stray || open.length > 0) throw new Error(`The document is not well-formed: ${stray?.[0] ?? open.join()}`);
  return counts;
};
