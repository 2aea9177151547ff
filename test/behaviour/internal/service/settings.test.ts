import { expect, test } from '@jest/globals';
import { type LocalService, startService } from '#test/support/service/local-service.ts';

/* Effects of the settings and faults of a deployment. The groups check all other behaviour of these endpoints. */

const withSettings = async (
  settings: Readonly<Record<string, string>>,
  check: (service: LocalService) => Promise<void>,
) => {
  const service = await startService(settings);
  await check(service).finally(() => service.stop());
};

test('an unexpected error: 500 internal-error without its message [CONTRACT §10]', () =>
  withSettings({}, async (broken) => {
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
  }));

test('configured origins: no other origin is allowed [CONTRACT §10]', () =>
  withSettings({ CORS_ORIGINS: 'https://app.example https://*.other.example' }, async (service) => {
    const from = async (origin: string) => (await service.send('/v1/invoices', { headers: { origin } })).headers;
    expect(await from('https://app.example')).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      vary: 'Authorization, Origin',
    });
    expect(await from('https://a.b.other.example')).toHaveProperty(
      'access-control-allow-origin',
      'https://a.b.other.example',
    );
    expect(await from('https://evil.example')).not.toHaveProperty('access-control-allow-origin');
  }));

test('without the local runtime: no demo tokens, and the docs page may connect to the exports bucket', () =>
  withSettings({}, async (service) => {
    const get = (target: string) => service.send(target, { headers: { authorization: undefined } });
    expect((await get('/docs/tokens.json')).json).toEqual([]);
    expect((await get('/docs')).headers['content-security-policy']).toContain(
      "; connect-src 'self' https://exports.s3.local.amazonaws.com; ",
    );
  }));
