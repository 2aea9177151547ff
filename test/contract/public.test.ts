import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
});

describe('GET /docs', () => {
  test('EXPORTS_BUCKET: the page may connect to it', async () => {
    const page = await get('/docs');
    expect(page.headers['content-security-policy']).toContain(
      "; connect-src 'self' https://exports.s3.local.amazonaws.com; ",
    );
  });

  test('its largest script, without compression: below the 6 MB that Lambda returns', async () => {
    const [reference = ''] = scriptsOf(await get('/docs'));
    const { text } = await get(reference);
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(6 * 1024 * 1024);
  });

  test('/docs/tokens.json: no tokens', async () => {
    expect((await get('/docs/tokens.json')).json).toEqual([]);
  });
});
