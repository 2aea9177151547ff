import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';

/** The command line. A server with the same response to each request is a service that fails every check. */

const RUN = fileURLToPath(new URL('../acceptance/run.ts', import.meta.url));

const servers: Server[] = [];
const serve = async (status: number): Promise<string> => {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const wrong = await serve(404);
const folder = await mkdtemp(join(tmpdir(), 'acceptance-'));
afterAll(async () => {
  for (const server of servers) server.close().closeAllConnections();
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (...options: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [RUN, ...options], (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

const TOKENS = ['--token-command', 'echo token; true'];
const onWrong = ['--url', wrong, ...TOKENS, '--only', 'FIELDS AND'];

describe('a wrong call: one line on standard error, and exit code 2', () => {
  const calls: readonly (readonly [name: string, options: readonly string[], line: RegExp])[] = [
    ['an unknown option', ['--fast'], /^Unknown option '--fast'; expected: npm run acceptance -- \[--url/],
    [
      'a token command that fails',
      ['--url', wrong, '--token-command', 'echo no >&2; false'],
      /^No token: the token command issues no token for --account .*: no/,
    ],
    [
      'a service that does not respond',
      ['--url', 'http://127.0.0.1:1'],
      /^No service responds at http:\/\/127\.0\.0\.1:1: ECONNREFUSED\.$/,
    ],
    [
      'an address that is none',
      ['--url', 'ftp://x'],
      /^Expected --url to be the http or https address of a service, not ftp:\/\/x\.$/,
    ],
    ['--only without a group', ['--only', 'none'], /^No group has "none" in its name; the groups are: Webhook /],
    [
      'a file that cannot be written',
      [...onWrong, '--bail', '--junit', '/none/x.xml'],
      /^Cannot write \/none\/x\.xml: ENOENT\.$/,
    ],
  ];

  test.concurrent.each(calls)('%s', async (_, options, line) => {
    const { exitCode, stderr } = await run(...options);
    expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr.trim()).toMatch(line);
  });
});

test('--handlers: a line for the group, the table at the end, exit code 0', async () => {
  const { exitCode, stdout, stderr } = await run('--handlers', '--only', 'Amounts');
  expect([exitCode, stderr]).toEqual([0, '']);
  const lines = stdout.trim().split('\n');
  expect(lines[0]).toMatch(/^ok {4}Amounts and currencies: \d+ passed$/);
  expect(lines.at(-1)).toMatch(/^\| Total \| \d+ \| 0 \| 0 \| [\d.]+ \|$/);
});

test('a wrong service: each check with its clause and requests, JUnit, a summary, exit code 1', async () => {
  const [junit, summary] = [join(folder, 'junit.xml'), join(folder, 'summary.md')];
  await writeFile(summary, 'Before\n');
  const { exitCode, stdout } = await run(...onWrong, '--junit', junit, '--summary', summary);
  expect(exitCode).toBe(1);
  const [, checks = ''] = /^FAIL {2}Fields and expand: 0 passed, (\d+) failed$/m.exec(stdout) ?? [];
  expect(Number(checks)).toBeGreaterThan(50);
  expect(stdout).toMatch(/ {2}FAIL {2}.+ \[CONTRACT §\d+\]\n[\s\S]*Last requests:\n(.*\n)* +POST \/v1\/\S+: 404, /);
  expect(stdout).toMatch(new RegExp(`\\n\\| Total \\| 0 \\| ${checks} \\| 0 \\| [\\d.]+ \\|\\n$`));
  expect(await readFile(summary, 'utf8')).toMatch(
    /^Before\n### Acceptance\n\n\| group .*\n\|---.*\n\| Fields .*\n\| Total \| 0 /,
  );
  const xml = await readFile(junit, 'utf8');
  const count = Number(checks);
  expect(elementsOf(xml)).toEqual({ testsuites: 1, testsuite: 1, testcase: count, failure: count });
  expect(xml).toContain(`tests="${checks}" failures="${checks}" errors="0" skipped="0"`);
});

test('--bail: ends at the first failure', async () => {
  const { exitCode, stdout } = await run(...onWrong, '--bail');
  expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/\n\| Total \| 0 \| 1 \| 0 \| [\d.]+ \|\n$/)]);
});

test('--without-tokens: checks that need one are skipped with the reason, exit code 0', async () => {
  const junit = join(folder, 'skipped.xml');
  const { exitCode, stdout } = await run('--url', wrong, '--without-tokens', '--only', 'Fields', '--junit', junit);
  expect(exitCode).toBe(0);
  const [, skipped = ''] = /\n- (\d+) skipped: it needs a token\n/.exec(stdout) ?? [];
  expect(elementsOf(await readFile(junit, 'utf8'))).toMatchObject({ skipped: Number(skipped) });
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
