import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { runToEnd } from '#test/local/command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IDS = ['--account', 'acct_1', '--sub', 'user_1'];

const DATA_DIR = await mkdtemp(join(tmpdir(), 'token-'));
afterAll(() => rm(DATA_DIR, { recursive: true }));

const token = (args: readonly string[], environment = {}) =>
  runToEnd(ROOT, ['local/token.ts', ...args], { DATA_DIR, ...environment });

/** The claims of the token that the command prints, without any other output. */
const claims = async (...[args, environment]: Parameters<typeof token>) => {
  const { code, stdout, stderr } = await token(args, environment);
  expect({ code, stderr, lines: stdout.split('\n').length }).toEqual({ code: 0, stderr: '', lines: 2 });
  return decodeJwt(stdout.trim()) as Record<string, unknown> & { iat: number; exp: number };
};

test('the command: prints one JWT and nothing else [CONTRACT §1]', async () => {
  const { iat, exp, ...rest } = await claims([...IDS, '--scope', 'invoices:read invoices:write']);
  expect(rest).toEqual({
    iss: 'urn:invoicing:local',
    aud: 'invoicing',
    sub: 'user_1',
    account_id: 'acct_1',
    scope: 'invoices:read invoices:write',
  });
  expect(exp - iat).toBe(3600);
});

test.each([[['--expires-in', '-60']], [['--expires-in=-60']]])(
  'a negative lifetime, %s: a token that has expired [CONTRACT §1]',
  async (args) => {
    const { iat, exp } = await claims([...IDS, ...args]);
    expect(exp - iat).toBe(-60);
  },
);

test('--claims: merged over the other claims, with values of any type [CONTRACT §1]', async () => {
  const merged = '{"aud":["x"],"sub":null,"exp":"never","extra":{"a":1}}';
  const { account_id, role, ...rest } = await claims([...IDS, '--role', 'clerk', '--claims', merged]);
  expect(rest).toMatchObject({ aud: ['x'], sub: null, exp: 'never', extra: { a: 1 } });
  expect({ account_id, role }).toEqual({ account_id: 'acct_1', role: 'clerk' });
});

test('issuer, audience and claim names of the environment: used as in the service', async () => {
  const environment = { ISSUER: 'https://i.test', AUDIENCE: 'b', ACCOUNT_CLAIM: 'custom:account_id' };
  const found = await claims(IDS, environment);
  expect(found).toMatchObject({ iss: 'https://i.test', aud: 'b', 'custom:account_id': 'acct_1' });
  expect(found).not.toHaveProperty('account_id');
});

test('--help: prints the usage', async () => {
  const { code, stdout } = await token(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('--expires-in');
});

test.each([
  ['no account', ['--sub', 'user_1'], '--account and --sub are required'],
  ['an invalid lifetime', [...IDS, '--expires-in', '1h'], 'Expected --expires-in to be a whole number of seconds'],
  ['claims that are not JSON', [...IDS, '--claims', '{aud}'], 'Expected --claims to be a JSON object'],
  ['claims that are not an object', [...IDS, '--claims', '[]'], 'Expected --claims to be a JSON object'],
])('%s: one line states what was expected, and the exit code is 2', async (_, args, message) => {
  const { code, stdout, stderr } = await token(args);
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 2, stdout: '', lines: 2 });
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/expected/i);
});

test.each([
  ['a misspelt role', [...IDS, '--role', 'cleark'], 'cleark is not a role and permits nothing: expected one of viewer'],
  [
    'a misspelt scope',
    [...IDS, '--scope', 'invoice:read'],
    'invoice:read is not a scope: expected one of customers:read',
  ],
  ['an account that the service rejects', ['--account', 'a b', '--sub', 'x'], 'the service rejects the account a b'],
])('%s: the token is printed, because a test may want it, with one line of warning', async (_, args, message) => {
  const { code, stdout, stderr } = await token(args);
  expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 0, lines: 2 });
  expect(stdout).toMatch(/^eyJ\S+\n$/);
  expect(stderr).toContain(message);
});
