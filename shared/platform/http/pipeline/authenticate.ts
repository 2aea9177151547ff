import type { Verify } from '#shared/platform/http/auth/access-token.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import { Refusal } from '#shared/platform/problem.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Middleware } from './context.ts';

const REALM = 'Bearer realm="invoicing"';
/** RFC 6750 §2.1: the scheme in any case, one token, nothing more. */
const BEARER = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;

const challenged = (refusal: Refusal, challenge: string): Refusal =>
  new Refusal(refusal.code, { ...refusal.facts, headers: { 'www-authenticate': challenge } });

/** Who calls, or 401 (§5 Order of checks 1). */
export const authenticate = (verify: Verify): Middleware => ({
  name: 'authenticate',
  before: async ({ event }) => {
    const header = event.headers['authorization'];
    if (!header)
      throw challenged(new Refusal('unauthenticated', { detail: 'The request has no Authorization header.' }), REALM);
    try {
      const [, token] = BEARER.exec(header) ?? [];
      if (token === undefined)
        throw new Refusal('unauthenticated', { detail: 'The Authorization header is not Bearer <token>.' });
      event.caller = await verify(token, Math.floor(Date.now() / 1000));
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'unauthenticated') throw error;
      throw challenged(error, `${REALM}, error="invalid_token"`);
    }
  },
});

/** @throws Refusal `insufficient-scope` (§5 Order of checks 2) */
export const requireScope = (caller: Caller, scope: Product['scope']): void => {
  if (caller.scopes.has(scope)) return;
  const challenge = `${REALM}, error="insufficient_scope", scope="${scope}"`;
  throw challenged(new Refusal('insufficient-scope', { detail: `The token does not permit ${scope}.` }), challenge);
};

/** What the endpoint's scope permits, or 403. */
export const authorize = (scope: Product['scope']): Middleware => ({
  name: 'authorize',
  before: ({ event }) => requireScope(event.caller as Caller, scope),
});
