import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWTHeaderParameters,
} from 'jose';
import { ProblemError } from '#shared/platform/problem.ts';
import { fetchJson } from '#shared/platform/workarounds/fetch-json.ts';

const TIMEOUT_MS = 2000;
const CACHE_MAX_AGE_MS = 600_000;
/** Minimum times between two fetches while the cache has keys, also after a failed fetch. */
const UNKNOWN_KEY_PAUSE_MS = 5000;
/** Longer than the pause above, because requests whose keys are cached wait for this fetch. */
const OLD_SET_PAUSE_MS = 30_000;

/**
 * Finds a key that may have signed the token, other than the keys that were tried: several keys match a token without
 * `kid` (RFC 7515 §4.1.4).
 * @throws errors.JWKSNoMatchingKey when there is no other key
 */
export type FindKey = (
  header: JWTHeaderParameters,
  token: FlattenedJWSInput,
  tried?: ReadonlySet<CryptoKey>,
) => Promise<CryptoKey>;

interface KeySet {
  readonly find: FindKey;
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
): FindKey => {
  const jwks = new RemoteJwks(url, onFailure, onRemoval);
  return async (...wanted) => {
    await jwks.refreshIfOlderThan(CACHE_MAX_AGE_MS, OLD_SET_PAUSE_MS);
    try {
      return await jwks.find(...wanted);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    await jwks.refreshIfOlderThan(0, UNKNOWN_KEY_PAUSE_MS);
    try {
      return await jwks.find(...wanted);
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

  readonly find: FindKey = async (...wanted) => {
    if (!this.#keySet) throw unavailable(this.failure);
    return this.#keySet.find(...wanted);
  };

  async refreshIfOlderThan(ageMs: number, pauseMs: number): Promise<void> {
    const keySet = this.#keySet;
    if (keySet && Date.now() < Math.max(keySet.fetchedAt + ageMs, this.#lastFetchAt + pauseMs)) return;
    this.#pending ??= this.#reload().finally(() => {
      this.#pending = undefined;
    });
    await this.#pending;
  }

  async #reload(): Promise<void> {
    this.#lastFetchAt = Date.now();
    try {
      const newKeySet = await fetchKeySet(this.#url);
      if (this.#keySet?.keys.some((key) => !newKeySet.keys.includes(key))) this.#onRemoval();
      this.#keySet = newKeySet;
      this.failure = undefined;
    } catch (cause) {
      this.failure = cause as Error;
      this.#onFailure(this.failure);
    }
  }
}

const fetchKeySet = async (url: string): Promise<KeySet> => {
  const set = (await fetchJson(url, TIMEOUT_MS)) as JSONWebKeySet;
  const find = findIn(set);
  if (!set.keys.some(({ kty }) => typeof kty === 'string')) throw new Error(`${url} has no keys.`);
  return { find, keys: set.keys.map((key) => JSON.stringify(key)), fetchedAt: Date.now() };
};

const findIn = (set: JSONWebKeySet): FindKey => {
  const findOnly = createLocalJWKSet(set);
  return async (header, token, tried = new Set()) => {
    const keys = await findOnly(header, token).then((key) => [key], toKeys);
    for await (const key of keys) if (!tried.has(key)) return key;
    throw new errors.JWKSNoMatchingKey();
  };
};

/** jose's error about several matching keys iterates over these keys. */
const toKeys = (error: unknown): AsyncIterable<CryptoKey> => {
  if (error instanceof errors.JWKSMultipleMatchingKeys) return error;
  throw error;
};

const unavailable = (cause: unknown): ProblemError =>
  Object.assign(new ProblemError('unavailable', { detail: 'Tokens cannot be verified at the moment.' }), { cause });
