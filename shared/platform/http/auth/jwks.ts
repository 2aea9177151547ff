import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { ProblemError } from '#shared/platform/problem.ts';
import { fetchJson } from '#shared/platform/workarounds/fetch-json.ts';

const TIMEOUT_MS = 2000;
const CACHE_MAX_AGE_MS = 600_000;
/** Minimum time between two fetches, also failed ones, while the cache has keys. */
const COOLDOWN_MS = 30_000;

interface KeySet {
  readonly find: JWTVerifyGetKey;
  readonly keys: readonly string[];
  readonly fetchedAt: number;
}

/**
 * Unlike jose's `createRemoteJWKSet`, it keeps the last valid key set when a fetch fails, and does not use `fetch`
 * (shared/platform/workarounds/fetch-json.ts).
 * @param onFailure called for each failed fetch, also while the cache has keys
 * @param onRemoval called when a fetched set lacks a key of the set before
 * @throws ProblemError `unavailable` when a key is unknown and the last fetch failed (CONTRACT §2)
 */
export const remoteJwks = (
  url: string,
  onFailure: (cause: Error) => void = () => {},
  onRemoval: () => void = () => {},
): JWTVerifyGetKey => {
  const jwks = new RemoteJwks(url, onFailure, onRemoval);
  return async (header, token) => {
    await jwks.refreshIfOlderThan(CACHE_MAX_AGE_MS);
    try {
      return await jwks.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    await jwks.refreshIfOlderThan(COOLDOWN_MS);
    try {
      return await jwks.find(header, token);
    } catch (error) {
      throw jwks.failure && error instanceof errors.JWKSNoMatchingKey ? unavailable(jwks.failure) : error;
    }
  };
};

class RemoteJwks {
  readonly #url: string;
  readonly #onFailure: (cause: Error) => void;
  readonly #onRemoval: () => void;
  #keySet: KeySet | undefined;
  #pending: Promise<void> | undefined;
  #lastFetchAt = 0;
  failure: Error | undefined;

  constructor(url: string, onFailure: (cause: Error) => void, onRemoval: () => void) {
    this.#url = url;
    this.#onFailure = onFailure;
    this.#onRemoval = onRemoval;
  }

  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (!this.#keySet) throw unavailable(this.failure);
    return this.#keySet.find(header, token);
  };

  async refreshIfOlderThan(milliseconds: number): Promise<void> {
    const keySet = this.#keySet;
    if (keySet && Date.now() < Math.max(keySet.fetchedAt + milliseconds, this.#lastFetchAt + COOLDOWN_MS)) return;
    this.#pending ??= this.#reload().finally(() => {
      this.#pending = undefined;
    });
    await this.#pending;
  }

  async #reload(): Promise<void> {
    this.#lastFetchAt = Date.now();
    try {
      const fetched = await fetchKeySet(this.#url);
      if (this.#keySet?.keys.some((key) => !fetched.keys.includes(key))) this.#onRemoval();
      this.#keySet = fetched;
      this.failure = undefined;
    } catch (cause) {
      this.failure = cause as Error;
      this.#onFailure(this.failure);
    }
  }
}

const fetchKeySet = async (url: string): Promise<KeySet> => {
  const set = (await fetchJson(url, TIMEOUT_MS)) as JSONWebKeySet;
  const find = createLocalJWKSet(set);
  if (!set.keys.some(({ kty }) => typeof kty === 'string')) throw new Error(`${url} has no keys.`);
  return { find, keys: set.keys.map((key) => JSON.stringify(key)), fetchedAt: Date.now() };
};

const unavailable = (cause: unknown): ProblemError =>
  Object.assign(new ProblemError('unavailable', { detail: 'Tokens cannot be verified at the moment.' }), { cause });
