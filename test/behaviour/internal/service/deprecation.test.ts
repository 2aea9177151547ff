import { afterAll, describe, expect, test } from '@jest/globals';
import { startService } from '#test/support/service/local-service.ts';

const open = await startService();
const ending = await startService({ V1_DEPRECATION: '2027-01-31', V1_SUNSET: '2028-01-31T12:30:00Z' });
afterAll(() => Promise.all([open.stop(), ending.stop()]));

const NAMES = ['deprecation', 'sunset', 'link'];
const announced = ({ headers }: { headers: Readonly<Record<string, string>> }) => NAMES.map((name) => headers[name]);
const SINCE = `@${Date.UTC(2027, 0, 31) / 1000}`;
const UNTIL = 'Mon, 31 Jan 2028 12:30:00 GMT';

describe('the announced end of a version', () => {
  test.each(['/v1/invoices/1', '/v2/invoices', '/health'])(
    'no end is configured, %s: no announcement [CONTRACT §11]',
    async (path) => {
      expect(announced(await open.send(path))).toEqual([undefined, undefined, undefined]);
    },
  );

  test('any response of the version: Deprecation, Sunset and a link to the same path in its successor [CONTRACT §11]', async () => {
    const { json } = await ending.send('/v1/invoices', { method: 'POST', body: {} });
    for (const method of ['GET', 'HEAD', 'DELETE', 'GET']) {
      const answer = await ending.send(`/v1/invoices/${json.id}`, { method });
      expect(announced(answer)).toEqual([SINCE, UNTIL, `</v2/invoices/${json.id}>; rel="successor-version"`]);
    }
    const unknown = await ending.send('/v1/no such>"');
    expect(announced(unknown)).toEqual([SINCE, UNTIL, '</v2/no%20such%3E%22>; rel="successor-version"']);
  });

  test('a response with page links: the successor link follows them [CONTRACT §11]', async () => {
    for (let i = 0; i < 2; i++) await ending.send('/v1/invoices', { method: 'POST', body: {} });
    const [, , link] = announced(await ending.send('/v1/invoices?limit=1'));
    expect(link).toMatch(/^<\/v1\/invoices\?[^>]*>; rel="next", <\/v2\/invoices>; rel="successor-version"$/);
  });

  test('another version, or a path without a version: no announcement [CONTRACT §11]', async () => {
    for (const path of ['/v2/invoices/1', '/health', '/v3/invoices', '/invoices']) {
      expect(announced(await ending.send(path))).toEqual([undefined, undefined, undefined]);
    }
  });

  test('the last version: Sunset without a successor link [CONTRACT §11]', async () => {
    const last = await startService({ V2_SUNSET: '2029-01-01' });
    const answer = await last.send('/v2/invoices/1').finally(() => last.stop());
    expect(announced(answer)).toEqual([undefined, 'Mon, 01 Jan 2029 00:00:00 GMT', undefined]);
  });
});
