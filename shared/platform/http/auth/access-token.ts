import { hash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Caller } from './caller.ts';
import { remoteJwks } from './jwks.ts';
import { effectiveScopes, type RoleScopes } from './scopes.ts';

/** Whose tokens are accepted, and under which names their claims stand (CONTRACT §2). */
export interface Identity {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly claims: { readonly account: string; readonly scope: string; readonly role: string };
}

/** @throws ProblemError `unauthenticated` for a bad token, `unavailable` when no key can be had */
export type Verify = (token: string, now: number) => Promise<Caller>;

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const TYPES = ['jwt', 'at+jwt'];
const TOLERANCE_S = 5;
/** An account's id (CONTRACT §2). */
export const ACCOUNT: RegExp = /^[A-Za-z0-9_-]{1,64}$/;
/** A verified token is trusted for at most this long before its signature is checked again. */
const TRUST_S = 300;
const CACHE_SIZE = 1000;

const refuse = (detail: string): ProblemError => new ProblemError('unauthenticated', { detail });

/**
 * Verifies access tokens (§5), and remembers a bounded number of them, none past its end.
 * @param failed is told when the issuer's keys could not be fetched
 */
export const verifier = (identity: Identity, roles: RoleScopes, failed?: (cause: Error) => void): Verify => {
  const known = new Map<string, { caller: Caller; until: number }>();
  // A token of a key that the issuer has withdrawn must not be remembered any longer.
  const key = remoteJwks(identity.jwksUrl, failed, () => known.clear());
  return async (token, now) => {
    const digest = hash('sha256', token, 'base64');
    const hit = known.get(digest);
    if (hit && now < hit.until) return hit.caller;
    const caller = callerOf(await payloadOf(token, key, identity, now), identity, roles, now);
    known.delete(digest);
    if (known.size >= CACHE_SIZE) known.delete(known.keys().next().value as string);
    known.set(digest, { caller, until: Math.min(caller.expires, now + TRUST_S) });
    return caller;
  };
};

const payloadOf = async (token: string, key: JWTVerifyGetKey, { issuer, audience }: Identity, now: number) => {
  try {
    const options = {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
      clockTolerance: TOLERANCE_S,
      currentDate: new Date(now * 1000),
    };
    const { payload, protectedHeader } = await jwtVerify(token, key, options);
    checkType(protectedHeader.typ);
    return payload;
  } catch (error) {
    throw error instanceof ProblemError ? error : refuse(reasonOf(error));
  }
};

/** A token of another kind, such as an ID or logout token, is no access token (RFC 8725 §3.11). */
const checkType = (type: unknown): void => {
  if (type === undefined || (typeof type === 'string' && TYPES.includes(type.toLowerCase()))) return;
  throw refuse('The typ header of the access token is neither JWT nor at+jwt.');
};

const reasonOf = (error: unknown): string => {
  if (error instanceof errors.JWTExpired) return 'The access token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The claim ${error.claim} of the access token is missing or not accepted.`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the access token is wrong.';
  if (error instanceof errors.JWKSNoMatchingKey) return 'The access token is not signed with a key of the issuer.';
  if (error instanceof errors.JOSEAlgNotAllowed)
    return 'The access token is signed with an algorithm that is not accepted.';
  return 'The access token is not a valid JWT.';
};

const text = (value: unknown, claim: string): string | undefined => {
  if (value === undefined || typeof value === 'string') return value;
  throw refuse(`The claim ${claim} of the access token is not a string.`);
};

const callerOf = (payload: JWTPayload, { claims }: Identity, roles: RoleScopes, now: number): Caller => {
  const { sub, iat, exp } = payload;
  const account = payload[claims.account];
  if (typeof sub !== 'string' || sub === '') throw refuse('The access token names no subject.');
  if (typeof account !== 'string' || !ACCOUNT.test(account)) throw refuse('The access token names no account.');
  if (iat !== undefined && !(iat <= now + TOLERANCE_S)) throw refuse('The access token is not valid yet.');
  const role = text(payload[claims.role], claims.role);
  const scopes = effectiveScopes(text(payload[claims.scope], claims.scope), role, roles);
  return { sub, account, role, scopes, expires: exp as number };
};
