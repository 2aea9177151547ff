import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { outcome } from './command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WHO = ['--account', 'acct_1', '--sub', 'user_1'];

let DATA_DIR: string;
beforeAll(async () => {
  DATA_DIR = await mkdtemp(join(tmpdir(), 'token-'));
});
afterAll(() => rm(DATA_DIR, { recursive: true }));

const token = (args: readonly string[], environment = {}) =>
  outcome(ROOT, ['local/token.ts', ...args], { DATA_DIR, ...environment });

/** The claims of the token that is all a command prints. */
const claims = async (...[args, environment]: Parameters<typeof token>) => {
  const { code, stdout, stderr } = await token(args, environment);
  expect({ code, stderr, lines: stdout.split('\n').length }).toEqual({ code: 0, stderr: '', lines: 2 });
  return decodeJwt(stdout.trim()) as Record<string, unknown> & { iat: number; exp: number };
};

test('CONTRACT §1: it prints one JWT, nothing else', async () => {
  const { iat, exp, ...rest } = await claims([...WHO, '--scope', 'invoices:read invoices:write']);
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
  'CONTRACT §1: the time may be negative: %s',
  async (args) => {
    const { iat, exp } = await claims([...WHO, ...args]);
    expect(exp - iat).toBe(-60);
  },
);

test('CONTRACT §1: --claims is merged over the other claims, each of any type', async () => {
  const merged = '{"aud":["x"],"sub":null,"exp":"never","extra":{"a":1}}';
  const { account_id, role, ...rest } = await claims([...WHO, '--role', 'clerk', '--claims', merged]);
  expect(rest).toMatchObject({ aud: ['x'], sub: null, exp: 'never', extra: { a: 1 } });
  expect({ account_id, role }).toEqual({ account_id: 'acct_1', role: 'clerk' });
});

test('it follows the environment as the service does', async () => {
  const environment = { ISSUER: 'https://i.test', AUDIENCE: 'b', ACCOUNT_CLAIM: 'custom:account_id' };
  const found = await claims(WHO, environment);
  expect(found).toMatchObject({ iss: 'https://i.test', aud: 'b', 'custom:account_id': 'acct_1' });
  expect(found).not.toHaveProperty('account_id');
});

test('--help prints its usage', async () => {
  const { code, stdout } = await token(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('--expires-in');
});

test.each([
  ['no account', ['--sub', 'user_1'], '--account and --sub are needed'],
  ['an unknown option', [...WHO, '--scopes', 'x'], "Unknown option '--scopes'"],
  ['a stray word', [...WHO, 'x'], "Unexpected argument 'x'"],
  ['a time that is none', [...WHO, '--expires-in', '1h'], 'Expected --expires-in to be a whole number of seconds'],
  ['claims that are no JSON', [...WHO, '--claims', '{aud}'], 'Expected --claims to be a JSON object'],
  ['claims that are no object', [...WHO, '--claims', '[]'], 'Expected --claims to be a JSON object'],
])('%s: one line says what was expected, and the exit code is 2', async (_, args, said) => {
  const { code, stdout, stderr } = await token(args);
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 2, stdout: '', lines: 2 });
  expect(stderr).toContain(said);
  expect(stderr).toMatch(/expected/i);
});

test.each([
  ['a misspelt role', [...WHO, '--role', 'cleark'], 'cleark is no role and grants nothing: expected one of viewer'],
  ['a misspelt scope', [...WHO, '--scope', 'invoice:read'], 'invoice:read is no scope: expected one of customers:read'],
  ['an account that the service refuses', ['--account', 'a b', '--sub', 'x'], 'The service refuses the account a b'],
])('%s is made all the same, as a test may want it, and one line on standard error says so', async (_, args, said) => {
  const { code, stdout, stderr } = await token(args);
  expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 0, lines: 2 });
  expect(stdout).toMatch(/^eyJ\S+\n$/);
  expect(stderr).toContain(said);
});
