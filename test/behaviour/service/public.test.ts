import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '#test/support/service.ts';

/* What differs between deployments; public-endpoints.ts has the other checks of the public endpoints. */

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const get = (target: string) => service.send(target, { headers: { authorization: undefined } });

test('/docs/tokens.json without the local runtime: no tokens', async () => {
  expect((await get('/docs/tokens.json')).json).toEqual([]);
});

test('EXPORTS_BUCKET: the docs page may connect to it', async () => {
  const page = await get('/docs');
  expect(page.headers['content-security-policy']).toContain(
    "; connect-src 'self' https://exports.s3.local.amazonaws.com; ",
  );
});
