import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import type { ReceivedRequest } from '#local/gateway/event.ts';
import { type Issuer, temporaryIssuer } from '#local/issuer/issuer.ts';
import { reportUnknownKeys } from '#local/issuer/unknown-keys.ts';

const reported = jest.spyOn(console, 'error').mockImplementation(() => {});
afterEach(() => {
  reported.mockClear();
});

let own: Issuer;
let other: Issuer;
beforeAll(async () => {
  own = await temporaryIssuer();
  other = await temporaryIssuer();
});

const LOCAL = { iss: 'urn:invoicing:local' };

const send = async (authorization: string, statusCode = 401) => {
  const handle = reportUnknownKeys(async () => ({ statusCode, headers: {} }), [own], '/data');
  const received = { rawHeaders: ['host', 'x', 'Authorization', authorization] } as unknown as ReceivedRequest;
  await handle(received);
  return handle(received);
};

test('a refused token with the key of another DATA_DIR: the response is unchanged, and one line names the key', async () => {
  const token = await other.sign(LOCAL);
  expect(await send(`Bearer ${token}`)).toEqual({ statusCode: 401, headers: {} });
  const key = decodeProtectedHeader(token).kid;
  expect(reported.mock.calls).toEqual([[expect.stringMatching(`key ${key}, which is not in /data: .* DATA_DIR`)]]);
});

test.each<[title: string, authorization: () => Promise<string>, status: number]>([
  ['a token with the key of this server', async () => `Bearer ${await own.sign(LOCAL)}`, 401],
  ['a token of another issuer', async () => `Bearer ${await other.sign({ iss: 'https://issuer.test' })}`, 401],
  ['an accepted token', async () => `Bearer ${await other.sign(LOCAL)}`, 200],
  ['no token', async () => 'Bearer x', 401],
])('%s: no line', async (_, authorization, status) => {
  await send(await authorization(), status);
  expect(reported).not.toHaveBeenCalled();
});
