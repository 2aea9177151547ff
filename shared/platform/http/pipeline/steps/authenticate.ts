import type { Verify } from '#shared/platform/http/auth/access-token.ts';
import type { Caller } from '#shared/platform/http/caller.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { RequestContext, Step } from '#shared/platform/http/pipeline/steps/step.ts';
import { addressOf, METADATA_PATH } from '#shared/platform/http/request/address.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Scope } from '#shared/vocabulary.ts';

interface Dependencies {
  readonly verify: Verify;
  /** The protection space that a challenge names (RFC 9110 §11.5). */
  readonly realm: string;
}

/** RFC 6750 §2.1, with the spaces of RFC 9110 §11.4. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

const IS_BEARER = /^bearer\s+\S/i;

/** 401 without a valid token (§5 Order of checks 1). */
export const authenticate: Step<Operation, Dependencies> = {
  name: 'authenticate',
  reads: ['Authorization', 'Host', 'X-Forwarded-Host', 'X-Forwarded-Proto'],
  refuses: ['unauthenticated', 'unavailable'],
  writes: (_, status) => (status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
  before: async (event, { verify }) => {
    const header = event.headers['authorization'];
    if (!header) throw new ProblemError('unauthenticated', { detail: 'The request has no Authorization header.' });
    const [, token] = BEARER.exec(header) ?? [];
    if (token === undefined)
      throw new ProblemError('unauthenticated', { detail: 'The Authorization header is not Bearer <token>.' });
    event.caller = await verify(token, Math.floor(Date.now() / 1000));
  },
  // Later steps and handlers also require scopes, because of the query, the body or a member.
  after: ({ event, response, error }, { realm }) => {
    if (!(error instanceof ProblemError)) return;
    const { code, details } = error;
    const challenge = `Bearer realm="${realm}"`;
    const metadata = `resource_metadata="${addressOf(event.headers)}${METADATA_PATH}"`;
    const reason = IS_BEARER.test(event.headers['authorization'] ?? '') ? ', error="invalid_token"' : '';
    if (code === 'unauthenticated') response.headers['www-authenticate'] = `${challenge}, ${metadata}${reason}`;
    if (code === 'insufficient-scope')
      response.headers['www-authenticate'] = `${challenge}, error="insufficient_scope", scope="${details.scope}"`;
  },
};

/** 403 without the endpoint's scope (§5 Order of checks 2). */
export const authorize: Step<Operation> = {
  name: 'authorize',
  refuses: ['insufficient-scope'],
  before: (event, { endpoint }) => requireScope(event, endpoint.scope),
};

/** @throws ProblemError `insufficient-scope` */
export const requireScope = ({ caller }: RequestContext, scope: Scope): void => {
  const { scopes, missingClaims } = caller as Caller;
  if (scopes.has(scope)) return;
  const cause = missingClaims ? `: it has no claim ${missingClaims.join(' or ')}` : '';
  throw new ProblemError('insufficient-scope', { scope, detail: `The token does not permit ${scope}${cause}.` });
};
