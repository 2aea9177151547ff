import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '#test/support/service/service.ts';

const [NEW, OLD] = ['n'.repeat(64), 'o'.repeat(64)];

let service: Service;
beforeAll(async () => {
  service = await startService({ EDGE_SECRETS: `${NEW},${OLD}` });
  // The document describes the public address, where nobody gets these responses.
  service.checks.documented = false;
});
afterAll(() => service.stop());

const send = (path: string, secret?: string, headers = {}) =>
  service.send(path, { headers: { 'x-origin-verify': secret, ...headers } });

describe('a stage with a web ACL', () => {
  test.each(['/v1/invoices', '/v2/invoices/1', '/health', '/docs', '/openapi.json', '/v1/nothing'])(
    'a request for %s that did not come through CloudFront: 404 problem [CONTRACT §10]',
    async (path) => {
      for (const secret of [undefined, '', NEW.slice(1), `${NEW},${OLD}`, 'x'.repeat(64)]) {
        const { status, headers, json } = await send(path, secret);
        expect([status, headers['content-type'], headers['cache-control']]).toEqual([
          404,
          'application/problem+json',
          'no-store',
        ]);
        expect(json).toMatchObject({
          code: 'not-found',
          detail: 'This host serves no clients. Use the public address of the API.',
          request_id: headers['x-request-id'],
        });
      }
    },
  );

  test('no token and no secret: 404 instead of 401, because the secret is checked first', async () => {
    expect((await send('/v1/invoices', undefined, { authorization: undefined })).status).toBe(404);
    expect((await send('/v1/invoices', NEW, { authorization: undefined })).status).toBe(401);
  });

  test('a write without the secret: changes nothing', async () => {
    const created = await service.send('/v1/customers', { method: 'POST', body: { name: 'Ada' } });
    expect(created.status).toBe(404);
    expect((await send('/v1/customers', NEW)).json.data).toEqual([]);
  });

  test.each([
    ['new', NEW],
    ['earlier', OLD],
  ])('the %s secret of CloudFront: served', async (_, secret) => {
    expect((await send('/v1/invoices', secret)).status).toBe(200);
    expect((await send('/health', secret)).status).toBe(200);
  });
});
