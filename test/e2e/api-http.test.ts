import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { isPublic } from '#shared/platform/endpoint.ts';
import { matches, routesOf } from '#shared/platform/http/routes.ts';
import { startServer } from '#test/local/server.ts';
import { until } from '#test/support/waiting/until.ts';
import { fillIn, type HttpRequest, type NamedResponse, parseHttpFile } from './http-file.ts';

const FILE = parseHttpFile(readFileSync(new URL('../../docs/api.http', import.meta.url), 'utf8'));
const ROUTES = Object.values(endpoints).flatMap(routesOf);

/** The route of a request, whose ids may be placeholders. */
const routeOf = ({ method, url }: Pick<HttpRequest, 'method' | 'url'>) => {
  const path = url
    .replace(/^\{\{base\}\}/, '')
    .replace(/\?.*/, '')
    .replaceAll(/\{\{[^}]+\}\}/g, '1');
  return matches(ROUTES, path).find(({ route }) => route.method === method)?.route;
};

const server = await startServer();
afterAll(() => server.stop());

test('docs/api.http: holds a request for every endpoint', () => {
  const requested = new Set(FILE.requests.map((request) => routeOf(request)?.target));
  const missing = Object.values(endpoints).filter((one) => routesOf(one).length > 0 && !requested.has(one));
  expect(missing.map(({ route }) => route)).toEqual([]);
});

test('docs/api.http: every request has a title and an existing endpoint', () => {
  const strays = FILE.requests.filter((request) => !routeOf(request) || request.title === '');
  expect(strays).toEqual([]);
});

test('docs/api.http: a token where one is needed, a Content-Type with every body, and both versions', () => {
  for (const request of FILE.requests) {
    const names = request.headers.map(([name]) => name);
    const target = routeOf(request)?.target;
    expect([request.title, names.includes('Authorization')]).toEqual([request.title, !(target && isPublic(target))]);
    expect([request.title, names.includes('Content-Type')]).toEqual([request.title, request.body !== undefined]);
  }
  for (const version of ['/v1/', '/v2/']) expect(FILE.requests.some(({ url }) => url.includes(version))).toBe(true);
});

/** The statuses 4xx in a title: `409 until it is completed`. */
const statusesIn = (title: string): number[] => (title.match(/\b4\d\d\b/g) ?? []).map(Number);

/** Repeats a request while the file of an export is not ready. */
const sendUntilReady = async (send: () => Promise<Response>): Promise<Response> => {
  let response = await send();
  await until(async () => {
    const { code } = response.status === 409 ? ((await response.clone().json()) as { code: string }) : {};
    if (code === 'export-not-ready') response = await send();
    return code !== 'export-not-ready';
  });
  return response;
};

test('docs/api.http: every request succeeds on the served API, from top to bottom', async () => {
  const variables = new Map([...FILE.variables, ['base', server.url], ['token', server.token]]);
  const answers = new Map<string, NamedResponse>();
  const fill = (text: string) => fillIn(text, variables, answers);
  for (const { title, name, method, url, headers, body } of FILE.requests) {
    const init = { method, headers: headers.map(([key, value]) => [key, fill(value)] as [string, string]) };
    const filledIn = body === undefined ? init : { ...init, body: fill(body) };
    const response = await sendUntilReady(() => fetch(fill(url), filledIn));
    const text = await response.text();
    const isSuccess = /304/.test(title) ? response.status === 304 : response.ok;
    const isAnnounced = !url.endsWith('/file') && statusesIn(title).includes(response.status);
    expect([title, response.status, isSuccess || isAnnounced ? '' : text]).toEqual([title, response.status, '']);
    const isJson = response.headers.get('content-type')?.includes('json');
    if (name) answers.set(name, { body: isJson ? JSON.parse(text) : text, headers: response.headers });
  }
});
