import type { Operation } from '#shared/platform/endpoint.ts';
import type { Verify } from '#shared/platform/http/auth/access-token.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import type { RequestContext, Step } from '#shared/platform/http/pipeline/steps/step.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Scope } from '#shared/vocabulary.ts';

interface Realm {
  /** The protection space that a challenge names (RFC 9110 §11.5). */
  readonly realm: string;
}

const challenge = ({ realm }: Realm): string => `Bearer realm="${realm}"`;

/** RFC 6750 §2.1, with the spaces of RFC 9110 §11.4. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** 401 without a valid token (§5 Order of checks 1). */
export const authenticate: Step<Operation, Realm & { readonly verify: Verify }> = {
  name: 'authenticate',
  reads: ['Authorization'],
  refuses: ['unauthenticated', 'unavailable'],
  writes: (_, status) => (status === 401 ? ['WWW-Authenticate'] : []),
  before: async (event, { verify }) => {
    const header = event.headers['authorization'];
    if (!header) throw new ProblemError('unauthenticated', { detail: 'The request has no Authorization header.' });
    const [, token] = BEARER.exec(header) ?? [];
    if (token === undefined)
      throw new ProblemError('unauthenticated', { detail: 'The Authorization header is not Bearer <token>.' });
    event.caller = await verify(token, Math.floor(Date.now() / 1000));
  },
  after: ({ event, response, error }, binding) => {
    if (!(error instanceof ProblemError) || error.code !== 'unauthenticated') return;
    const reason = event.headers['authorization'] ? ', error="invalid_token"' : '';
    response.headers['www-authenticate'] = challenge(binding) + reason;
  },
};

/** 403 without the endpoint's scope (§5 Order of checks 2). */
export const authorize: Step<Operation, Realm> = {
  name: 'authorize',
  refuses: ['insufficient-scope'],
  writes: (_, status) => (status === 403 ? ['WWW-Authenticate'] : []),
  before: (event, { endpoint }) => requireScope(event, endpoint.scope),
  // Later steps and handlers also require scopes, because of the query, the body or a member.
  after: ({ response, error }, binding) => {
    if (!(error instanceof ProblemError) || error.code !== 'insufficient-scope') return;
    const { scope } = error.details;
    response.headers['www-authenticate'] = `${challenge(binding)}, error="insufficient_scope", scope="${scope}"`;
  },
};

/** @throws ProblemError `insufficient-scope` */
export const requireScope = ({ caller }: RequestContext, scope: Scope): void => {
  if ((caller as Caller).scopes.has(scope)) return;
  throw new ProblemError('insufficient-scope', { scope, detail: `The token does not permit ${scope}.` });
};
