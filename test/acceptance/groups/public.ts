import { expect } from 'expect';
import { EXPLANATIONS } from '#shared/invoicing/problem-explanations.ts';
import { CATALOGUE } from '#shared/invoicing/problems.ts';
import { currentDocument } from '#shared/openapi/source.ts';
import { check, type Group } from '../suite/check.ts';
import type { Answer, Service } from '../suite/service.ts';
import { outcome } from './support.ts';

/** Sends without a token. */
const get = (service: Service, target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  service.send(target, { method, headers, as: 'nobody' });

const scriptsOf = ({ text }: Answer): string[] =>
  [...text.matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, src]) => src as string);

const HTML = 'text/html; charset=utf-8';

const document = [
  check('CONTRACT §4', '/openapi.json without a token: the document; under a version: 404', async (service) => {
    const answer = await get(service, '/openapi.json');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toEqual(currentDocument());
    expect((await get(service, '/v1/openapi.json')).status).toBe(404);
  }),
  check('CONTRACT §7', '/openapi.json, its ETag in If-None-Match: 304 without a body', async (service) => {
    const etag = (await get(service, '/openapi.json')).headers['etag'] as string;
    const answer = await get(service, '/openapi.json', { 'if-none-match': etag });
    expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', etag]);
  }),
  check('CONTRACT §12', 'HEAD of /openapi.json: the length of GET and no body', async (service) => {
    const answer = await get(service, '/openapi.json', { 'accept-encoding': 'gzip' }, 'HEAD');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(1000);
  }),
];

const docs = [
  check('CONTRACT §4', '/docs without a token: a page whose scripts have this origin and a hash', async (service) => {
    const page = await get(service, '/docs');
    expect([page.status, page.headers['content-type']]).toEqual([200, HTML]);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(page.text.match(/(href|src)="(?!\/|data:)/g)).toBeNull();
    expect(scriptsOf(page)).toHaveLength(2);
    for (const script of scriptsOf(page)) {
      expect(script).toMatch(/^\/docs\/\w+-[0-9a-f]{16}\.js$/);
      const answer = await get(service, script);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
      expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(answer.text.length).toBeGreaterThan(500);
    }
  }),
  ...['page-0000000000000000.js', 'page.js', 'reference.js.gz', '..%2Findex.mjs', 'constructor'].map((name) =>
    check('CONTRACT §4', `/docs/${name}, an unknown file: 404`, async (service) => {
      expect(outcome(await get(service, `/docs/${name}`))).toEqual([404, 'not-found']);
    }),
  ),
];

const start = [
  check('CONTRACT §4', '/health without a token: 200', async (target) => {
    const answer = await get(target, '/health');
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }]);
  }),
  ...['GET', 'HEAD'].map((method) =>
    check('CONTRACT §4', `${method} / without a token: 303 to /docs`, async (target) => {
      const answer = await get(target, '/', {}, method);
      expect([answer.status, answer.headers['location'], answer.text]).toEqual([303, '/docs', '']);
    }),
  ),
];

const decode = (page: string): string => page.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');

const problems = [
  check('CONTRACT §10', '/problems without a token: every code with its title and a link', async (target) => {
    const answer = await get(target, '/problems');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, HTML]);
    const page = answer.text.replaceAll('&quot;', '"');
    for (const [code, { title }] of Object.entries(CATALOGUE))
      expect(page).toContain(`<dt><a href="/problems/${code}"><code>${code}</code></a></dt><dd>${title}</dd>`);
    expect(page.match(/<dt>/g)).toHaveLength(Object.keys(CATALOGUE).length);
    const statuses = [...page.matchAll(/<h2>(\d+)<\/h2>/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([...new Set(Object.values(CATALOGUE).map(({ status }) => status))].sort());
  }),
  check('CONTRACT §12', '/problems with a trailing slash: 404; with another method: 405', async (target) => {
    expect(outcome(await get(target, '/problems/'))).toEqual([404, 'not-found']);
    const answer = await get(target, '/problems', {}, 'POST');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  }),
  ...Object.entries(CATALOGUE).map(([code, { title }]) =>
    check('CONTRACT §10', `/problems/${code}: its meaning, cause and remedy`, async (target) => {
      const answer = await get(target, `/problems/${code}`);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, HTML]);
      const { meaning, cause, remedy } = EXPLANATIONS[code as keyof typeof EXPLANATIONS];
      for (const text of [code, title, meaning, cause, remedy]) expect(decode(answer.text)).toContain(text);
    }),
  ),
  check('CONTRACT §10', 'the type of a problem: the path of its page', async (target) => {
    const { json } = await target.send('/v1/invoices?limit=0');
    expect(json.type).toBe('/problems/validation-failed');
    expect((await get(target, json.type)).status).toBe(200);
  }),
  ...['nope', 'constructor', '__proto__', '%3Cscript%3E'].map((code) =>
    check('CONTRACT §4', `/problems/${code}, an unknown code: 404`, async (target) => {
      expect(outcome(await get(target, `/problems/${code}`))).toEqual([404, 'not-found']);
    }),
  ),
];

export const publicPages: Group = { name: 'Public pages', checks: [...document, ...docs, ...start, ...problems] };
