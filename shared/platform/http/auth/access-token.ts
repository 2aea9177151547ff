import { hash } from 'node:crypto';
import { type CryptoKey, decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import * as v from 'valibot';
import type { Caller } from '#shared/platform/http/caller.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import { text } from '#shared/platform/wire/schema.ts';
import { codeAndDetail } from '#shared/platform/wire/violation.ts';
import { type Identity, readClaim, textsOf } from './claims.ts';
import { type FindKey, remoteJwks } from './jwks.ts';
import { claimedRole, claimedScopes, effectiveScopes, type RoleScopes } from './scopes.ts';

/** @throws ProblemError `unauthenticated`, or `unavailable` when the issuer's keys cannot be fetched */
export type Verify = (token: string, now: number) => Promise<Caller>;

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** RFC 7519 §5.1 and RFC 9068 §2.1, which allows the form with `application/`. */
const TOKEN_TYPES = ['jwt', 'at+jwt', 'application/at+jwt'];
const CLOCK_TOLERANCE_S = 5;
export const ACCOUNT_ID: RegExp = /^[A-Za-z0-9_-]{1,64}$/;
/** A token is verified again after this time. */
const CACHE_MAX_AGE_S = 300;
const CACHE_SIZE = 1000;

const unauthenticated = (detail: string): ProblemError => new ProblemError('unauthenticated', { detail });

/** Caches a limited number of verified tokens, at most until they expire (§5). */
export const createVerifier = (identity: Identity, roles: RoleScopes, onFailure?: (cause: Error) => void): Verify => {
  const cache = new Map<string, { caller: Caller; until: number }>();
  // Tokens signed with a key that the issuer has withdrawn must not stay in the cache.
  const findKey = remoteJwks(identity.jwksUrl, onFailure, () => cache.clear());
  return async (token, now) => {
    const digest = hash('sha256', token, 'base64');
    const cacheEntry = cache.get(digest);
    if (cacheEntry && now < cacheEntry.until) return cacheEntry.caller;
    const caller = toCaller(await verifyPayload(token, findKey, identity, now), identity, roles, now);
    cache.delete(digest);
    if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value as string);
    cache.set(digest, { caller, until: Math.min(caller.expires, now + CACHE_MAX_AGE_S) });
    return caller;
  };
};

const verifyPayload = async (token: string, findKey: FindKey, { issuer }: Identity, now: number) => {
  try {
    const options = {
      issuer,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now * 1000),
    };
    const { payload, protectedHeader } = await verifySignature(token, findKey, options);
    checkType(protectedHeader.typ);
    return payload;
  } catch (error) {
    throw error instanceof ProblemError ? error : unauthenticated(describeFailure(error, issuer));
  }
};

/**
 * Limit of keys: the service verifies a signature with each key. Issuers have two or three keys while they replace a
 * key.
 */
const MAX_TRIED_KEYS = 8;

/** Verifies the token with the key that its `kid` names; without `kid`, with each key that matches. */
const verifySignature = async (token: string, findKey: FindKey, options: JWTVerifyOptions) => {
  const triedKeys = new Set<CryptoKey>();
  for (;;) {
    try {
      return await jwtVerify(
        token,
        async (header, jws) => {
          const key = await findKey(header, jws, triedKeys);
          triedKeys.add(key);
          return key;
        },
        options,
      );
    } catch (error) {
      const isOtherKey = error instanceof errors.JWSSignatureVerificationFailed;
      if (!isOtherKey || decodeProtectedHeader(token).kid !== undefined || triedKeys.size >= MAX_TRIED_KEYS)
        throw error;
    }
  }
};

/** Rejects tokens of other kinds, such as ID and logout tokens (RFC 8725 §3.11). */
const checkType = (type: unknown): void => {
  if (type === undefined || (typeof type === 'string' && TOKEN_TYPES.includes(type.toLowerCase()))) return;
  throw unauthenticated('The typ header of the access token is neither JWT, at+jwt nor application/at+jwt.');
};

const describeFailure = (error: unknown, issuer: string): string => {
  if (error instanceof errors.JWTExpired) return 'The access token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error;
    if (claim === 'iss') return unexpectedClaim('iss', issuer);
    if (reason === 'missing') return `The access token has no claim ${claim}.`;
    return claim === 'nbf' && reason === 'check_failed' ? notYetValid('nbf') : `${claimOf(claim)} is not a number.`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the access token is wrong.';
  if (error instanceof errors.JWKSNoMatchingKey) return 'The access token is not signed with a key of the issuer.';
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'The access token is signed with an algorithm that is not accepted.';
  // Other errors are about a key of the issuer, such as an RSA key of 1,024 bits.
  return error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid
    ? 'The access token is not a valid JWT.'
    : 'The access token cannot be verified.';
};

const claimOf = (name: string): string => `The claim ${name} of the access token`;

const unexpectedClaim = (name: string, expected: string): string => `${claimOf(name)} must be ${quote(expected)}.`;

/** Names the values that a reader must compare: a clock, or the time from which the issuer permits the token. */
const notYetValid = (claim: 'nbf' | 'iat'): string =>
  `The access token is not valid yet: its claim ${claim} is later than the clock of the service.`;

/** @returns undefined if the token does not have the claim */
const readTexts = (payload: JWTPayload, name: string): readonly string[] | undefined => {
  const value = readClaim(payload, name);
  if (value === undefined) return undefined;
  const texts = textsOf(value);
  if (!texts) throw unauthenticated(`${claimOf(name)} is neither a string nor an array of strings.`);
  return texts;
};

/** Events store and show it as `actor`. */
const Subject = text({ min: 1 });

const readSubject = (value: unknown): string => {
  const { success, output, issues } = v.safeParse(Subject, value);
  if (success) return output;
  throw unauthenticated(`The claim sub of the access token ${codeAndDetail(issues[0]).detail}.`);
};

const readAccount = (payload: JWTPayload, name: string): string => {
  const account = readClaim(payload, name);
  if (account === undefined) throw unauthenticated(`The access token has no claim ${name}.`);
  if (typeof account === 'string' && ACCOUNT_ID.test(account)) return account;
  throw unauthenticated(`${claimOf(name)} is not an account: 1 to 64 characters of A-Z, a-z, 0-9, _ and -.`);
};

const toCaller = (
  payload: JWTPayload,
  { audience, claims, scopePrefix }: Identity,
  roles: RoleScopes,
  now: number,
): Caller => {
  const { iat, exp } = payload;
  if (!readTexts(payload, claims.audience)?.includes(audience))
    throw unauthenticated(unexpectedClaim(claims.audience, audience));
  const sub = readSubject(payload.sub);
  const account = readAccount(payload, claims.account);
  if (iat !== undefined && !(iat <= now + CLOCK_TOLERANCE_S)) throw unauthenticated(notYetValid('iat'));
  const scopeClaim = claims.scope.find((name) => readClaim(payload, name) !== undefined);
  const [scopeTexts, roleTexts] = [scopeClaim && readTexts(payload, scopeClaim), readTexts(payload, claims.role)];
  const role = roleTexts && claimedRole(roleTexts, roles);
  const scopes = effectiveScopes(scopeTexts ? claimedScopes(scopeTexts, scopePrefix) : undefined, role, roles);
  const missing = scopeTexts || roleTexts ? {} : { missingClaims: [...claims.scope, claims.role] };
  return { sub, account, role, scopes, ...missing, expires: exp as number };
};
