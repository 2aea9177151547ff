import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { type Gateway, openGateway } from '#local/gateway.ts';
import { isPublic } from '#shared/http/endpoint.ts';
import { matches, routesOf } from '#shared/http/routes.ts';
import { type Service, startService } from '#test/support/service.ts';
import { type Answered, filled, type HttpRequest, parseHttpFile } from './http-file.ts';

const FILE = parseHttpFile(readFileSync(new URL('../../docs/api.http', import.meta.url), 'utf8'));
const ROUTES = Object.values(endpoints).flatMap(routesOf);

/** The route that a request goes to, whatever stands in its path's place of an id. */
const routeOf = ({ method, url }: Pick<HttpRequest, 'method' | 'url'>) => {
  const path = url
    .replace(/^\{\{base\}\}/, '')
    .replace(/\?.*/, '')
    .replaceAll(/\{\{[^}]+\}\}/g, '1');
  return matches(ROUTES, path).find(({ route }) => route.method === method)?.route;
};

let service: Service;
let gateway: Gateway;
beforeAll(async () => {
  service = await startService();
  gateway = await openGateway(0, service.route);
});
afterAll(async () => {
  await gateway.close(0);
  await service.stop();
});

test('docs/api.http holds a request for every endpoint', () => {
  const asked = new Set(FILE.requests.map((request) => routeOf(request)?.target));
  const missing = Object.values(endpoints).filter((one) => routesOf(one).length > 0 && !asked.has(one));
  expect(missing.map(({ route }) => route)).toEqual([]);
});

test('docs/api.http asks for no other endpoints than there are, each request with a title', () => {
  const strays = FILE.requests.filter((request) => !routeOf(request) || request.title === '');
  expect(strays).toEqual([]);
});

test('docs/api.http sends a token wherever one is needed, a type wherever there is a body, and both versions', () => {
  for (const request of FILE.requests) {
    const names = request.headers.map(([name]) => name);
    const target = routeOf(request)?.target;
    expect([request.title, names.includes('Authorization')]).toEqual([request.title, !(target && isPublic(target))]);
    expect([request.title, names.includes('Content-Type')]).toEqual([request.title, request.body !== undefined]);
  }
  for (const version of ['/v1/', '/v2/']) expect(FILE.requests.some(({ url }) => url.includes(version))).toBe(true);
});

test('docs/api.http succeeds from top to bottom, on the served API', async () => {
  const variables = new Map([...FILE.variables, ['base', gateway.url], ['token', await service.token()]]);
  const answers = new Map<string, Answered>();
  const fill = (text: string) => filled(text, variables, answers);
  for (const { title, name, method, url, headers, body } of FILE.requests) {
    const init = { method, headers: headers.map(([key, value]) => [key, fill(value)] as [string, string]) };
    const response = await fetch(fill(url), body === undefined ? init : { ...init, body: fill(body) });
    const text = await response.text();
    const isRight = /304/.test(title) ? response.status === 304 : response.ok;
    expect([title, response.status, isRight ? '' : text]).toEqual([title, response.status, '']);
    const isJson = response.headers.get('content-type')?.includes('json');
    if (name) answers.set(name, { body: isJson ? JSON.parse(text) : text, headers: response.headers });
  }
});
