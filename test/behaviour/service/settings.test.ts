import { expect, test } from '@jest/globals';
import { startService } from '#test/support/service.ts';

/* Errors and origins that only a fault or a setting causes; the groups have all others. */

test('an unexpected error: 500 internal-error without its message [CONTRACT §10]', async () => {
  const broken = await startService();
  await broken.send('/v1/invoices');
  broken.client.middlewareStack.add(
    () => async () => {
      throw Object.assign(new Error('ValidationException: table secret-name arn:aws:dynamodb'), { name: 'Secret' });
    },
    { step: 'initialize', priority: 'high' },
  );
  const { status, json, text } = await broken.send('/v1/invoices');
  expect([status, json.code]).toEqual([500, 'internal-error']);
  expect(text).not.toMatch(/secret|arn|stack|Secret/);
  await broken.stop();
});

test('configured origins: no other origin is allowed [CONTRACT §10]', async () => {
  const origin = 'https://app.example';
  const service = await startService({ CORS_ORIGINS: `${origin} https://other.example` });
  const allowed = await service.send('/v1/invoices', { headers: { origin } });
  const refused = await service.send('/v1/invoices', { headers: { origin: 'https://evil.example' } });
  expect(allowed.headers['access-control-allow-origin']).toBe(origin);
  expect(allowed.headers['vary']).toBe('Authorization, Origin');
  expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
  await service.stop();
});
