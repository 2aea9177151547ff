import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createSecret, sign } from '#shared/platform/webhooks/signature.ts';

const message = () => ({
  id: 'evt_17',
  timestamp: Math.floor(Date.now() / 1000),
  body: JSON.stringify({ id: 17, name: 'Zoë €🧾', text: 'a\n"b"' }),
});

const headersOf = ({ id, timestamp }: ReturnType<typeof message>, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

test('a secret: whsec_ and base64 of 32 random bytes [CONTRACT §15]', () => {
  const secrets = Array.from({ length: 100 }, createSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64').length).toBe(32);
  }
  expect(new Set(secrets).size).toBe(100);
});

test('the example of the specification of Standard Webhooks: its signature', () => {
  const example = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
  expect(sign(example, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('a signed message: verified by the npm package standardwebhooks, with each of several secrets [CONTRACT §15]', () => {
  const sent = message();
  const secrets = [createSecret(), createSecret()];
  const signature = sign(sent, secrets);
  expect(signature).toMatch(/^v1,\S+ v1,\S+$/);
  for (const secret of secrets) {
    expect(new Webhook(secret).verify(sent.body, headersOf(sent, signature))).toEqual(JSON.parse(sent.body));
  }
});
