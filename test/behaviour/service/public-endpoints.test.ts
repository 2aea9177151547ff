import { hash } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { EXPLANATIONS } from '#shared/invoicing/problem-explanations.ts';
import { currentDocument } from '#shared/openapi/source.ts';
import { versionDocument } from '#shared/openapi/transforms/version-document.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { CATALOGUE } from '#shared/vocabulary.ts';
import { partOf } from '#test/support/extent/extent.ts';
import type { Answer } from '#test/support/service/client.ts';
import { openService, publicTest, type Service } from '#test/support/service/open-service.ts';

const service = await openService();

/** Sends without a token. */
const get = (service: Service, target: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.send(target, { method, headers, as: 'nobody' });

const typeOf = ({ status, headers }: Answer) => [status, headers['content-type']];

/** The paths of the scripts, styles and pictures of a page. */
const filesOf = ({ text }: Answer): string[] => [
  ...new Set([...text.matchAll(/(?:href|src)="(\/docs\/[^"]*\.(?:js|css|svg))"/g)].map(([, path]) => path as string)),
];

/** The script of the page with the reference, which names the script of the reference. */
const scriptOfReference = async (): Promise<string> => {
  const files = filesOf(await get(service, '/docs/reference'));
  return (await get(service, files.find((file) => file.includes('reference.md')) as string)).text;
};

const decode = ({ text }: Answer): string =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');

const { paths } = currentDocument() as { paths: Record<string, Record<string, { tags: string[] }>> };

/** Whether the reference has an operation at an anchor, such as `tag/payments-v1/POST/v1/payments`. */
const isOperation = (anchor: string): boolean => {
  const [, tag, method = '', path = ''] = /^tag\/([^/]+)\/([A-Z]+)(\/.*)$/.exec(anchor) ?? [];
  const { tags } = paths[path]?.[method.toLowerCase()] ?? { tags: [] };
  return tags.some((name) => name.toLowerCase().replaceAll(' ', '-') === tag);
};

/** The texts for programs, and parts of them. */
const TEXTS = {
  '/llms.txt': ['# Duebook\n\n> ', '](/docs/changelog.txt)', '# Getting started', '# Webhooks', 'sort=due_date'],
  '/docs/changelog.txt': ['# Changelog', '## [Unreleased]'],
};

const HTML = 'text/html; charset=utf-8';

const UNKNOWN = [
  ...['app.js', 'nope', 'index.html', '404', '..%2Fsite.json', 'constructor', '__proto__'].map(
    (name) => `/docs/${name}`,
  ),
  ...['nope', 'constructor', '__proto__', '%3Cscript%3E'].map((code) => `/problems/${code}`),
];

describe('Public endpoints', () => {
  publicTest('GET /health without a token: 200 [CONTRACT §4]', async () => {
    const answer = await get(service, '/health');
    expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }]);
  });

  for (const method of ['GET', 'HEAD']) {
    publicTest(`${method} / without a token: 303 to /docs [CONTRACT §4]`, async () => {
      const answer = await get(service, '/', {}, method);
      expect([answer.status, answer.headers['location'], answer.text]).toEqual([303, '/docs', '']);
    });
  }

  publicTest('the API catalog: links that lead to the documents of this service [CONTRACT §4]', async () => {
    const answer = await get(service, '/.well-known/api-catalog');
    expect(typeOf(answer)).toEqual([200, 'application/linkset+json']);
    const [links] = answer.json.linkset;
    for (const relation of ['service-desc', 'service-doc', 'status']) {
      const [{ href, type }] = links[relation];
      expect(href.startsWith(links.anchor)).toBe(true);
      const linked = await get(service, href.slice(links.anchor.length - 1));
      expect([linked.status, linked.headers['content-type']?.split(';')[0]]).toEqual([200, type]);
    }
  });

  publicTest('the metadata that a 401 names: the scopes, and the issuer if it is a URL [CONTRACT §2, §4]', async () => {
    const { headers } = await get(service, '/v1/invoices');
    const [, address, path] =
      /resource_metadata="(https?:\/\/[^/]+)(\/[^"]+)"/.exec(headers['www-authenticate'] ?? '') ?? [];
    const answer = await get(service, path as string);
    expect(typeOf(answer)).toEqual([200, 'application/json']);
    const { authorization_servers = [], scopes_supported, ...rest } = answer.json;
    expect(rest).toEqual({
      resource: address,
      bearer_methods_supported: ['header'],
      resource_documentation: `${address}/docs`,
    });
    expect(scopes_supported).toEqual(expect.arrayContaining(['events:read', 'invoices:read', 'webhooks:write']));
    for (const issuer of authorization_servers) expect(issuer).toMatch(/^https?:/);
  });

  publicTest('the JWKS: public keys, or 404 if another issuer signs [CONTRACT §4]', async () => {
    const { status, json } = await get(service, '/.well-known/jwks.json');
    if (status === 404) return expect(json.code).toBe('not-found');
    expect(status).toBe(200);
    expect(json.keys.length).toBeGreaterThan(0);
    for (const key of json.keys) {
      expect(key).toEqual(expect.objectContaining({ kty: expect.any(String), kid: expect.any(String) }));
      expect(Object.keys(key).filter((name) => ['d', 'p', 'q', 'k'].includes(name))).toEqual([]);
    }
  });

  publicTest('GET /openapi.json without a token: the document; under a version 404 [CONTRACT §4]', async () => {
    const answer = await get(service, '/openapi.json');
    expect(typeOf(answer)).toEqual([200, 'application/json']);
    expect(answer.json).toEqual(currentDocument());
    expect((await get(service, '/v1/openapi.json')).status).toBe(404);
  });

  for (const version of VERSIONS) {
    publicTest(`GET /openapi-${version}.json without a token: the document of ${version}`, async () => {
      const answer = await get(service, `/openapi-${version}.json`);
      expect(typeOf(answer)).toEqual([200, 'application/json']);
      expect(answer.json).toEqual(versionDocument(currentDocument(), version));
    });
  }

  const DISCOVERY = ['/.well-known/api-catalog', '/.well-known/oauth-protected-resource'];
  for (const [path, toLink] of [
    ['/docs', (target: string) => `href="${target}"`],
    ['/llms.txt', (target: string) => `](${target})`],
  ] as const) {
    publicTest(`GET ${path}: links the API catalog and the metadata for access tokens [CONTRACT §4]`, async () => {
      const { text } = await get(service, path);
      expect(DISCOVERY.filter((target) => !text.includes(toLink(target)))).toEqual([]);
    });
  }

  publicTest('Accept-Encoding with gzip: another ETag; either in If-None-Match: 304 [CONTRACT §7]', async () => {
    const plain = await get(service, '/openapi.json');
    const packed = await get(service, '/openapi.json', { 'accept-encoding': 'br, gzip;q=0.5' });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(packed.text).toBe(plain.text);
    expect(packed.headers['etag']).not.toBe(plain.headers['etag']);
    for (const { headers } of [plain, packed]) {
      const tag = {
        'if-none-match': String(headers['etag']),
        'accept-encoding': headers['content-encoding'] ?? '',
      };
      const again = await get(service, '/openapi.json', tag);
      expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', headers['etag']]);
    }
    const refused = await get(service, '/openapi.json', { 'accept-encoding': 'gzip;q=0' });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });

  publicTest('HEAD /openapi.json: the length of GET and no body [CONTRACT §12]', async () => {
    const answer = await get(service, '/openapi.json', { 'accept-encoding': 'gzip' }, 'HEAD');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(1000);
  });

  publicTest('GET /docs without a token: files of this origin, hashed names for a year [CONTRACT §4]', async () => {
    const page = await get(service, '/docs');
    expect(typeOf(page)).toEqual([200, HTML]);
    const files = filesOf(page);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      const { status, headers } = await get(service, file);
      const isHashed = /\.[\w-]{8}(\.lean)?\.(js|css)$/.test(file);
      expect([file, status, headers['cache-control']]).toEqual([
        file,
        200,
        isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      ]);
    }
    expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(2);
    expect(page.text.match(/(href|src)="(?!\/|#)/g)).toBeNull();
  });

  publicTest(
    'every page of the documentation: scripts that the policy allows by hash, and links that lead somewhere',
    async () => {
      const { text } = await get(service, '/docs/getting-started');
      expect(text.replaceAll(/<[^>]*>/g, '')).toContain('It records money, and moves none');
      const paths = new Set([...text.matchAll(/href="(\/docs\/[\w-]+)"/g)].map(([, path]) => path as string));
      expect(paths.size).toBeGreaterThan(25);
      const pages = new Map(
        await Promise.all([...paths].map(async (path) => [path, await get(service, path)] as const)),
      );
      for (const [path, page] of pages) {
        expect([path, ...typeOf(page)]).toEqual([path, 200, HTML]);
        const policy = page.headers['content-security-policy'] ?? '';
        expect(policy).toMatch(
          /^default-src 'none'; script-src 'self'( 'sha256-[^']+'){3}; .*; connect-src 'self' https?:\/\/[^ ;]+; /,
        );
        const inline = [...page.text.matchAll(/<script(?: id="[^"]*")?>(.*?)<\/script>/gs)];
        expect(inline).toHaveLength(3);
        for (const [, script = ''] of inline) expect(policy).toContain(hash('sha256', script, 'base64'));
        const links = [...page.text.matchAll(/href="(\/docs\/[\w-]+)#([^"]*)"/g)];
        const broken = links.filter(([, target = '', anchor = '']) =>
          target === '/docs/reference' ? !isOperation(anchor) : !pages.get(target)?.text.includes(`id="${anchor}"`),
        );
        expect(broken.map(([link]) => `${path}: ${link}`)).toEqual([]);
      }
      expect(pages.get('/docs/events')?.text).toContain('href="/docs/reference#tag/events-v1/GET/v1/events"');
      expect(pages.get('/docs/errors')?.text).toContain('href="/docs/limits#429-too-many-requests"');
    },
  );

  publicTest('GET /docs/hashmap.json: the current files of the pages, for a page of an earlier release', async () => {
    const { json, headers } = await get(service, '/docs/hashmap.json');
    expect(headers['cache-control']).toBe('no-cache');
    const page = 'errors.md';
    expect((await get(service, `/docs/${page}.${json[page]}.js`)).status).toBe(200);
  });

  for (const [path, parts] of Object.entries(TEXTS)) {
    publicTest(`GET ${path} without a token: a text, linked from /docs, with an ETag [CONTRACT §4]`, async () => {
      const answer = await get(service, path);
      expect(typeOf(answer)).toEqual([200, 'text/plain; charset=utf-8']);
      expect(answer.headers['cache-control']).toBe('no-cache');
      for (const part of parts) expect(answer.text).toContain(part);
      const again = await get(service, path, { 'if-none-match': String(answer.headers['etag']) });
      expect([again.status, again.text]).toEqual([304, '']);
      expect((await get(service, '/docs')).text).toContain(`href="${path}"`);
      expect((await get(service, path, {}, 'POST')).headers['allow']).toBe('GET, HEAD, OPTIONS');
    });
  }

  publicTest('the largest script, without compression: below the 6 MB of Lambda [CONTRACT §5]', async () => {
    const [script = ''] = /\/docs\/standalone\.[\w-]+\.js/.exec(await scriptOfReference()) ?? [];
    const { text } = await get(service, script);
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(6 * 1024 * 1024);
  });

  publicTest('GET /problems: every code with its title and a link to its page [CONTRACT §10]', async () => {
    const answer = await get(service, '/problems');
    expect(typeOf(answer)).toEqual([200, HTML]);
    const page = answer.text.replaceAll('&quot;', '"');
    for (const [code, { title }] of Object.entries(CATALOGUE))
      expect(page).toContain(`<dt><a href="/problems/${code}"><code>${code}</code></a></dt><dd>${title}</dd>`);
    expect(page.match(/<dt>/g)).toHaveLength(Object.keys(CATALOGUE).length);
    const statuses = [...page.matchAll(/<h2>(\d+)<\/h2>/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([...new Set(Object.values(CATALOGUE).map(({ status }) => status))].sort());
  });

  publicTest('/problems with another method: 405 [CONTRACT §12]', async () => {
    const answer = await get(service, '/problems', {}, 'POST');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  for (const [code, { title }] of partOf(Object.entries(CATALOGUE), 7)) {
    publicTest(`/problems/${code}: states the meaning, cause and remedy [CONTRACT §10]`, async () => {
      const answer = await get(service, `/problems/${code}`);
      expect(typeOf(answer)).toEqual([200, HTML]);
      const { meaning, cause, remedy } = EXPLANATIONS[code as keyof typeof EXPLANATIONS];
      const content = decode(answer).replaceAll(/<\/?code>/g, '');
      for (const text of [code, title, meaning, cause, remedy]) expect(content).toContain(text.replaceAll('`', ''));
    });
  }

  for (const path of UNKNOWN) {
    publicTest(`${path}, an unknown file or code: 404 [CONTRACT §4]`, async () => {
      const answer = await get(service, path);
      expect([answer.status, answer.json.code]).toEqual([404, 'not-found']);
    });
  }
});
