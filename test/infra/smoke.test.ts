import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { runToEnd } from '#test/local/command.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

const SMOKE = ['infra/scripts/smoke.ts'];
/** The number of checks that need no token, and of all checks. */
const PUBLIC_CHECKS = 4;
const ALL_CHECKS = PUBLIC_CHECKS + 9;

let service: Service;
let server: Server;
let address: string;
/** Replaces parts of a response before the smoke test receives it. */
let defect: (request: IncomingMessage, answer: Answer) => Partial<Answer>;

/** Serves the service over HTTP, as a deployment does. */
beforeAll(async () => {
  service = await startService();
  server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const { method = '', url = '' } = request;
    const headers = { authorization: undefined, ...(request.headers as Record<string, string>) };
    const answer = await service.send(url, { method, headers, ...(body && { body }) });
    const { status, headers: sent, text } = { ...answer, ...defect(request, answer) };
    response.writeHead(status, { ...sent }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(async () => {
  server.close();
  await service.stop();
});

const smoke = async (environment: Record<string, string> = {}, at = address) => {
  const { stdout, code } = await runToEnd(ROOT, [...SMOKE, at], environment);
  const lines = stdout.trim().split('\n');
  return { code, stdout, passed: lines.filter((line) => line.startsWith('ok')).length, lines };
};
const withoutHeader = (name: string, { headers }: Answer) => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)),
});

test('a service without defects: every check passes, and no data remains', async () => {
  defect = () => ({});
  const { code, passed } = await smoke({ TOKEN: await service.token() });
  expect([code, passed]).toEqual([0, ALL_CHECKS]);
  expect((await service.send('/v1/customers')).json.data).toEqual([]);
});

test('no token: only the public checks run', async () => {
  defect = () => ({});
  const { code, passed, lines } = await smoke();
  expect([code, passed, lines.at(-1)]).toEqual([
    0,
    PUBLIC_CHECKS,
    'Skipped the checks that need a token: set TOKEN, or TOKEN_URL, CLIENT_ID and CLIENT_SECRET.',
  ]);
});

const isMember = ({ url = '' }: IncomingMessage) => /^\/v1\/customers\/\d/.test(url);

test.each<[string, typeof defect]>([
  ['GET /health', ({ url }) => (url === '/health' ? { text: '{}' } : {})],
  ['without a token gets 401', (_, answer) => withoutHeader('www-authenticate', answer)],
  ['404 problem', (_, { status }) => (status === 404 ? { headers: { 'content-type': 'text/html' } } : {})],
  ['a CORS preflight', ({ method }) => (method === 'OPTIONS' ? { status: 403 } : {})],
  ['POST /v1/customers', ({ method }) => (method === 'POST' ? { status: 500, headers: {} } : {})],
  ['a retry returns', (_, answer) => withoutHeader('idempotent-replayed', answer)],
  ['fields selects', ({ url = '' }) => (url.includes('fields') ? { text: '{"name":"Smoke","id":1}' } : {})],
  ['returns 304', (_, { status }) => (status === 304 ? { status: 200 } : {})],
  [
    'in If-Match succeeds',
    (request, answer) => (request.method === 'PATCH' ? withoutHeader('etag', answer) && { status: 500 } : {}),
  ],
  ['returns 412', (_, { status }) => (status === 412 ? { status: 200 } : {})],
  ['the next list contains', ({ url = '' }) => (url.startsWith('/v2') ? { text: '{"data":[]}' } : {})],
  ['DELETE returns 204', (_, { status }) => (status === 204 ? { status: 200 } : {})],
  ['repeated DELETE', (request, { status }) => (isMember(request) && status === 404 ? { status: 204 } : {})],
])('a failed check: exit code 1, and no response body is printed: %s', async (check, broken) => {
  defect = broken;
  const { code, stdout, lines } = await smoke({ TOKEN: await service.token() });
  expect(code).toBe(1);
  expect(lines.filter((line) => line.startsWith('FAIL')).join('\n')).toContain(check);
  expect(stdout).not.toMatch(/eyJ|created_at/);
});

test('client credentials: the smoke test gets a token with them, and prints neither', async () => {
  defect = () => ({});
  const tokenRequests: string[] = [];
  const issuer = createServer(async (request, response) => {
    tokenRequests.push(`${request.headers.authorization} ${await buffer(request)}`);
    response.end(JSON.stringify({ access_token: await service.token(), token_type: 'Bearer' }));
  }).listen(0, '127.0.0.1');
  await once(issuer, 'listening');
  const TOKEN_URL = `http://127.0.0.1:${(issuer.address() as { port: number }).port}/token`;
  const { code, passed, stdout } = await smoke({
    TOKEN_URL,
    CLIENT_ID: 'me',
    CLIENT_SECRET: 's:cret',
    TOKEN_AUDIENCE: 'x',
  });
  issuer.close();
  expect([code, passed]).toEqual([0, ALL_CHECKS]);
  expect(tokenRequests).toEqual([
    `Basic ${btoa('me:s%3Acret')} grant_type=client_credentials&scope=customers%3Aread+customers%3Awrite&audience=x`,
  ]);
  expect(stdout).not.toMatch(/cret|eyJ/);
});

test('an argument that is not a URL: exit code 2', async () => {
  expect((await smoke({}, 'here')).code).toBe(2);
});
