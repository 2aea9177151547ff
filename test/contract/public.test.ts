import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EXPLANATIONS } from '#shared/invoicing/problem-explanations.ts';
import { CATALOGUE } from '#shared/invoicing/problems.ts';
import { currentDocument } from '#shared/openapi/source.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Sends without a token. */
const get = (target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  service.send(target, { method, headers: { authorization: undefined, ...headers } });

const scriptsOf = ({ text }: Answer): string[] =>
  [...text.matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, src]) => src as string);

describe('GET /openapi.json', () => {
  test('no token: the document of this checkout; under a version: 404 [CONTRACT §4]', async () => {
    const answer = await get('/openapi.json');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(answer.json).toEqual(currentDocument());
    expect((await get('/v1/openapi.json')).status).toBe(404);
  });

  test('Accept-Encoding with gzip: compressed, with another tag; either tag in If-None-Match: 304', async () => {
    const plain = await get('/openapi.json');
    const packed = await get('/openapi.json', { 'accept-encoding': 'br, gzip;q=0.5' });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(packed.text).toBe(plain.text);
    expect(packed.headers['etag']).not.toBe(plain.headers['etag']);
    for (const { headers } of [plain, packed]) {
      const sent = { 'if-none-match': String(headers['etag']), 'accept-encoding': headers['content-encoding'] ?? '' };
      const again = await get('/openapi.json', sent);
      expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', headers['etag']]);
    }
    expect((await get('/openapi.json', { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined();
  });

  test('HEAD: the length of GET and no body [CONTRACT §12]', async () => {
    const answer = await get('/openapi.json', { 'accept-encoding': 'gzip' }, 'HEAD');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(1000);
  });
});

describe('GET /docs', () => {
  test('no token: a page whose scripts have this origin and a content hash in their URL [CONTRACT §4]', async () => {
    const page = await get('/docs');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(page.headers['content-security-policy']).toContain(
      "; connect-src 'self' https://exports.s3.local.amazonaws.com; ",
    );
    const scripts = scriptsOf(page);
    expect(scripts).toHaveLength(2);
    for (const script of scripts) {
      expect(script).toMatch(/^\/docs\/\w+-[0-9a-f]{16}\.js$/);
      const answer = await get(script);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
      expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(answer.text.length).toBeGreaterThan(500);
    }
    expect(page.text.match(/(href|src)="(?!\/|data:)/g)).toBeNull();
  });

  test('its largest script, without compression: below the 6 MB that Lambda returns', async () => {
    const [reference = ''] = scriptsOf(await get('/docs'));
    const { text } = await get(reference);
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(6 * 1024 * 1024);
  });

  test('/docs/tokens.json: no tokens', async () => {
    expect((await get('/docs/tokens.json')).json).toEqual([]);
  });

  test.each(['page-0000000000000000.js', 'page.js', 'reference.js.gz', '..%2Findex.mjs', 'constructor'])(
    '/docs/%s, an unknown file: 404 [CONTRACT §4]',
    async (name) => {
      const answer = await get(`/docs/${name}`);
      expect([answer.status, answer.json.code]).toEqual([404, 'not-found']);
    },
  );
});

test.each(['GET', 'HEAD'])('%s / without a token: 303 to /docs [CONTRACT §4]', async (method) => {
  const answer = await get('/', {}, method);
  expect([answer.status, answer.headers['location'], answer.text]).toEqual([303, '/docs', '']);
});

describe('GET /problems', () => {
  test('no token: every code with its title and a link to its page', async () => {
    const answer = await get('/problems');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const page = answer.text.replaceAll('&quot;', '"');
    for (const [code, { title }] of Object.entries(CATALOGUE)) {
      expect(page).toContain(`<dt><a href="/problems/${code}"><code>${code}</code></a></dt><dd>${title}</dd>`);
    }
    expect(page.match(/<dt>/g)).toHaveLength(Object.keys(CATALOGUE).length);
    const statuses = [...page.matchAll(/<h2>(\d+)<\/h2>/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([...new Set(Object.values(CATALOGUE).map(({ status }) => status))].sort());
  });

  test('a trailing slash: 404; another method: 405 [CONTRACT §4, §12]', async () => {
    expect((await get('/problems/')).json.code).toBe('not-found');
    const answer = await get('/problems', {}, 'POST');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('GET /problems/<code>', () => {
  test.each(Object.entries(CATALOGUE))(
    '/problems/%s: its meaning, cause and remedy [CONTRACT §10]',
    async (code, { title }) => {
      const answer = await get(`/problems/${code}`);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      const page = answer.text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
      const { meaning, cause, remedy } = EXPLANATIONS[code as keyof typeof EXPLANATIONS];
      for (const text of [code, title, meaning, cause, remedy]) expect(page).toContain(text);
    },
  );

  test('the type of a problem: the path of its page [CONTRACT §10]', async () => {
    const { json } = await service.send('/v1/invoices?limit=0');
    expect(json.type).toBe('/problems/validation-failed');
    expect((await get(json.type)).status).toBe(200);
  });

  const UNKNOWN = ['nope', 'constructor', '__proto__', '%3Cscript%3E'];
  test.each(UNKNOWN)('/problems/%s, an unknown code: 404 [CONTRACT §4]', async (code) => {
    const answer = await get(`/problems/${code}`);
    expect([answer.status, answer.json.code]).toEqual([404, 'not-found']);
  });
});
