import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { UnsecuredJWT } from 'jose';
import { ROOT } from '#local/settings/settings.ts';
import { runToEnd } from '#test/local/command.ts';

let requests: string[];
/** The scope in the issued token; undefined for an issuer that refuses. */
let granted: string | undefined;

const issuer = createServer(async (request, response) => {
  requests.push(`${request.headers.authorization} ${await buffer(request)}`);
  if (granted === undefined) return response.writeHead(401).end('{"error":"invalid_client","hint":"s:cret"}');
  const access_token = new UnsecuredJWT({ scope: granted }).encode();
  return response.end(JSON.stringify({ access_token, token_type: 'Bearer' }));
}).listen(0, '127.0.0.1');
await once(issuer, 'listening');
const TOKEN_URL = `http://127.0.0.1:${(issuer.address() as { port: number }).port}/token`;
afterAll(() => {
  issuer.close();
});
beforeEach(() => {
  requests = [];
  granted = 'customers:write customers:read';
});

const SCOPE = 'customers:read customers:write';
const ask = (args: readonly string[], environment: Record<string, string> = {}) =>
  runToEnd(ROOT, ['test/acceptance/client-token.ts', ...args], {
    TOKEN_URL,
    CLIENT_ID: 'me',
    CLIENT_SECRET: 's:cret',
    TOKEN_AUDIENCE: 'x',
    OTHER_CLIENT_ID: '',
    ...environment,
  });

test('the account of the client: a token with the requested scopes, by client credentials', async () => {
  const { code, stdout } = await ask(['--account', 'own', '--sub', 'user_1', '--scope', SCOPE]);
  expect([code, stdout.trim().split('.').length]).toEqual([0, 3]);
  const body = 'grant_type=client_credentials&scope=customers%3Aread+customers%3Awrite&audience=x';
  expect(requests).toEqual([`Basic ${btoa('me:s%3Acret')} ${body}`]);
});

test('OTHER_CLIENT_ID: a token of the other client', async () => {
  const other = { OTHER_CLIENT_ID: 'you', OTHER_CLIENT_SECRET: '2' };
  expect((await ask(['--account', 'other', '--sub', 'user_1', '--scope', SCOPE], other)).code).toBe(0);
  expect(requests[0]).toContain(`Basic ${btoa('you:2')} `);
});

describe('a token that no client gets: exit code 1 and one line', () => {
  test.each<[string, string[], string]>([
    ['no client', ['--account', 'other', '--scope', SCOPE], 'OTHER_CLIENT_ID and OTHER_CLIENT_SECRET are not set.'],
    ['a third account', ['--account', 'empty', '--scope', SCOPE], 'There is no client for the account empty.'],
    ['a role', ['--account', 'own', '--role', 'clerk'], 'A client chooses only the scopes of its token.'],
    ['an expired token', ['--account', 'own', '--scope', SCOPE, '--expires-in', '-60'], 'A client chooses only'],
  ])('%s', async (_, args, message) => {
    const { code, stderr } = await ask([...args, '--sub', 'user_1']);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain(message);
    expect(requests).toEqual([]);
  });

  test('the issuer refuses: its response, which may contain a secret, is not printed', async () => {
    granted = undefined;
    const { code, stderr } = await ask(['--account', 'own', '--sub', 'user_1', '--scope', SCOPE]);
    expect([code, stderr.trim()]).toEqual([1, 'The issuer returned no token (status 401).']);
  });

  test('the issuer grants fewer scopes: no token', async () => {
    granted = 'customers:read';
    const { code, stderr } = await ask(['--account', 'own', '--sub', 'user_1', '--scope', SCOPE]);
    expect([code, stderr.trim()]).toEqual([1, 'The issuer grants other scopes: customers:read.']);
  });
});
