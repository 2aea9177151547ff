import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { Refusal } from '#shared/domain/refusal.ts';
import { download } from './download.ts';

const TIMEOUT_MS = 2000;
/** Keys older than this are fetched again. */
const FRESH_MS = 600_000;
/** While there are some, they are not fetched more often than this, whether for a key unknown or an issuer gone. */
const COOLDOWN_MS = 30_000;

interface Keys {
  readonly find: JWTVerifyGetKey;
  readonly at: number;
}

/**
 * The issuer's keys: fetched when needed, and the last ones kept while the issuer cannot be reached. It is jose's
 * `createRemoteJWKSet` without `fetch`, see {@link download}.
 * @param failed is told of each fetch that failed, also of one that the last keys make up for
 * @throws Refusal `unavailable` while there are none
 */
export const keys = (url: string, failed: (cause: Error) => void = () => {}): JWTVerifyGetKey => {
  let known: Keys | undefined;
  let pending: Promise<Keys> | undefined;
  let tried = 0;

  const load = async (): Promise<Keys> => {
    tried = Date.now();
    const set = (await download(url, TIMEOUT_MS)) as JSONWebKeySet;
    return { find: createLocalJWKSet(set), at: Date.now() };
  };
  const newer = async (milliseconds: number): Promise<Keys> => {
    if (known && Date.now() < Math.max(known.at + milliseconds, tried + COOLDOWN_MS)) return known;
    pending ??= load()
      .catch((cause) => {
        failed(cause);
        throw cause;
      })
      .finally(() => {
        pending = undefined;
      });
    try {
      known = await pending;
    } catch (cause) {
      if (!known) throw unavailable(cause);
    }
    return known;
  };

  return async (header, token) => {
    const current = await newer(FRESH_MS);
    try {
      return await current.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return (await newer(COOLDOWN_MS)).find(header, token);
    }
  };
};

const unavailable = (cause: unknown): Refusal =>
  Object.assign(new Refusal('unavailable', { detail: 'Tokens cannot be verified at the moment.' }), { cause });
