import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { SettingError } from '#infra/settings/context.ts';
import { localIssuerKeys } from '#infra/settings/local-issuer-keys.ts';
import { settingsOf } from '#infra/settings/settings.ts';
import { openApp } from '#local/app.ts';
import { fillEnvironment } from '#local/environment.ts';
import type { Handle } from '#local/gateway/handle.ts';
import { localEndpoints } from '#local/gateway/local-endpoints.ts';
import { claimsOf } from '#local/issuer/claims.ts';
import { openIssuer, temporaryIssuer } from '#local/issuer/issuer.ts';
import { JWKS_PATH } from '#local/settings/settings.ts';
import { createVerifier } from '#shared/platform/http/auth/access-token.ts';
import { clients } from '#shared/runtime/worker-runtime.ts';
import { receivedRequest } from '#test/support/service/event.ts';
import { toSentRequest } from '#test/support/service/transport.ts';

const before = process.env['DATA_DIR'];
const directory = await mkdtemp(join(tmpdir(), 'local-issuer-keys-'));
afterAll(async () => {
  if (before === undefined) delete process.env['DATA_DIR'];
  else process.env['DATA_DIR'] = before;
  await rm(directory, { recursive: true });
});

/** The JSON response of the local server at a path. */
const getJson = async (handle: Handle, path: string) => {
  const { body = '' } = await handle(receivedRequest(toSentRequest(path)));
  return JSON.parse(body);
};

describe('stage dev without an issuer of its own', () => {
  test('a token that `npm run token` prints on this machine: accepted; the first deployment creates its key', async () => {
    process.env['DATA_DIR'] = join(directory, 'new');
    const { identity } = settingsOf(() => undefined);
    const issuer = await openIssuer(process.env['DATA_DIR']);
    const token = await issuer.sign(claimsOf({ account: 'acct_1', sub: 'user_1' }, 60, {}));
    const now = Math.floor(Date.now() / 1000);
    await expect(createVerifier(identity, {})(token, now)).resolves.toMatchObject({ account: 'acct_1', sub: 'user_1' });
  });

  test('a token that the local docs page offers: refused, because another key signs it', async () => {
    process.env['DATA_DIR'] = join(directory, 'new');
    const url = 'http://127.0.0.1:3000';
    fillEnvironment(process.env, url);
    const issuer = await openIssuer(process.env['DATA_DIR']);
    const local = localEndpoints(issuer, await temporaryIssuer(), url, process.env);
    const { handle } = openApp({ environment: process.env, clients: clients(), local });
    const offeredTokens = await getJson(handle, '/docs/tokens.json');
    expect(offeredTokens.length).toBeGreaterThan(3);
    const keySet = `data:application/json,${encodeURIComponent(JSON.stringify(await getJson(handle, JWKS_PATH)))}`;
    const { identity } = settingsOf(() => undefined);
    const now = Math.floor(Date.now() / 1000);
    for (const { token } of offeredTokens) {
      await expect(createVerifier({ ...identity, jwksUrl: keySet }, {})(token, now)).resolves.toMatchObject({
        role: expect.any(String),
      });
      await expect(createVerifier(identity, {})(token, now)).rejects.toMatchObject({ code: 'unauthenticated' });
    }
  });

  test('the deployed key set: holds the public key only', async () => {
    process.env['DATA_DIR'] = join(directory, 'new');
    const { d } = JSON.parse(await readFile(join(directory, 'new', 'issuer.json'), 'utf8'));
    const { keys } = JSON.parse(decodeURIComponent(localIssuerKeys().replace(/^data:application\/json,/, '')));
    expect(d).toMatch(/^[\w-]{43}$/);
    expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(localIssuerKeys()).not.toContain(d);
  });

  test('a key file that can be neither read nor created: one line names it', () => {
    process.env['DATA_DIR'] = '/dev/null/nowhere';
    const file = '/dev/null/nowhere/issuer.json';
    expect(() => settingsOf(() => undefined)).toThrow(SettingError);
    expect(() => localIssuerKeys()).toThrow(new RegExp(`^Cannot read or create the issuer's key ${file}: .+$`));
  });
});
