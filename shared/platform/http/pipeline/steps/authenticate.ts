import type { Verify } from '#shared/platform/http/auth/access-token.ts';
import type { Caller } from '#shared/platform/http/caller.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Received, Step } from '#shared/platform/http/pipeline/steps/step.ts';
import { addressOf, METADATA_PATH } from '#shared/platform/http/request/address.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { type Scope, SERVICE } from '#shared/vocabulary.ts';

export interface Authenticated {
  readonly caller: Caller;
}

/** 401 without a valid token (§5 Order of checks 1). */
export const authenticate: Step<Received, Authenticated, Operation, { readonly verify: Verify }> = {
  name: 'authenticate',
  reads: ['Authorization', 'Host', 'X-Forwarded-Host', 'X-Forwarded-Proto'],
  refuses: ['unauthenticated', 'unavailable'],
  writes: (_, status) => (status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
  run: async ({ headers }, { verify }) => {
    try {
      return { caller: await verify(tokenIn(headers['authorization']), Math.floor(Date.now() / 1000)) };
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'unauthenticated')
        error.details.headers = { 'www-authenticate': challenge(headers) };
      throw error;
    }
  },
};

/** RFC 6750 §2.1, with the spaces of RFC 9110 §11.4. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

const tokenIn = (header: string | undefined): string => {
  if (!header) throw new ProblemError('unauthenticated', { detail: 'The request has no Authorization header.' });
  const [, token] = BEARER.exec(header) ?? [];
  if (token !== undefined) return token;
  throw new ProblemError('unauthenticated', { detail: 'The Authorization header is not Bearer <token>.' });
};

const REALM = `Bearer realm="${SERVICE}"`;
const IS_BEARER = /^bearer\s+\S/i;

/** RFC 6750 §3, with the address of RFC 9728 §5.1. */
const challenge = (headers: Received['headers']): string => {
  const reason = IS_BEARER.test(headers['authorization'] ?? '') ? ', error="invalid_token"' : '';
  return `${REALM}, resource_metadata="${addressOf(headers)}${METADATA_PATH}"${reason}`;
};

/** 403 without the endpoint's scope (§5 Order of checks 2). */
export const authorize: Step<Authenticated, undefined, Operation> = {
  name: 'authorize',
  refuses: ['insufficient-scope'],
  run: ({ caller }, { endpoint }) => requireScope(caller, endpoint.scope),
};

/**
 * Later steps and handlers also require scopes, because of the query, the body or a member.
 * @throws ProblemError `insufficient-scope`
 */
export const requireScope = ({ scopes, missingClaims }: Caller, scope: Scope): undefined => {
  if (scopes.has(scope)) return;
  const cause = missingClaims ? `: it has no claim ${missingClaims.join(' or ')}` : '';
  const headers = { 'www-authenticate': `${REALM}, error="insufficient_scope", scope="${scope}"` };
  throw new ProblemError('insufficient-scope', { detail: `The token does not permit ${scope}${cause}.`, headers });
};
