import { beforeAll, expect, test } from '@jest/globals';
import type { ReceivedRequest } from '#local/gateway/event.ts';
import { type Issuer, temporaryIssuer } from '#local/issuer/issuer.ts';
import { explainUnknownKeys } from '#local/issuer/unknown-keys.ts';

let own: Issuer;
let other: Issuer;
beforeAll(async () => {
  own = await temporaryIssuer();
  other = await temporaryIssuer();
});

const LOCAL = { iss: 'urn:invoicing:local' };
const PROBLEM = { code: 'unauthenticated', detail: 'The token is not valid.' };

/** The response to a request, which the service answers with a problem. */
const send = async (authorization: string, statusCode = 401) => {
  const result = { statusCode, headers: {}, body: JSON.stringify(PROBLEM) };
  const handle = explainUnknownKeys(async () => result, [own]);
  const received = { rawHeaders: ['host', 'x', 'Authorization', authorization] } as unknown as ReceivedRequest;
  const { body = '' } = await handle(received);
  return JSON.parse(body);
};

test('a 401 to a token with the key of another DATA_DIR: the detail names DATA_DIR, and no other member changes', async () => {
  const token = await other.sign(LOCAL);
  const detail = expect.stringMatching(/^The token has a key that this server does not have: .* DATA_DIR/);
  expect(await send(`Bearer ${token}`)).toEqual({ ...PROBLEM, detail });
});

test.each<[title: string, authorization: () => Promise<string>, status: number]>([
  ['a token with the key of this server', async () => `Bearer ${await own.sign(LOCAL)}`, 401],
  ['a token of another issuer', async () => `Bearer ${await other.sign({ iss: 'https://issuer.test' })}`, 401],
  ['an accepted token', async () => `Bearer ${await other.sign(LOCAL)}`, 200],
  ['no token', async () => 'Bearer x', 401],
  ['another scheme', async () => `Basic ${await other.sign(LOCAL)}`, 401],
])('%s: the response is unchanged', async (_, authorization, status) => {
  expect(await send(await authorization(), status)).toEqual(PROBLEM);
});
