import fallback from '#functions/service/fallback.ts';
import { type Issuer, temporaryIssuer } from '#local/issuer/issuer.ts';
import { demoTokens } from '#local/issuer/tokens.ts';
import { JWKS_PATH } from '#local/settings/settings.ts';
import { publicLambda } from '#shared/lambda/runtime.ts';
import { type PublicOperation, publicEndpoint } from '#shared/platform/endpoint.ts';
import { jsonReply } from '#shared/platform/http/reply.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { LAMBDA_DEFAULTS } from '#shared/platform/lambda/defaults.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Destination, LambdaFunction, Router } from './invoke.ts';

const lambda = (name: string, endpoint: PublicOperation, environment = process.env): LambdaFunction => ({
  name,
  limits: LAMBDA_DEFAULTS,
  load: async () => publicLambda(endpoint, environment),
});

/** Answers a body that API Gateway would not take, in the service's words instead of the gateway's (CONTRACT §10). */
export const TOO_LARGE: LambdaFunction = lambda(
  'too-large',
  publicEndpoint({
    route: DEFAULT_ROUTE,
    handle() {
      throw new ProblemError('body-too-large', {
        detail: 'The body is larger than 6 MB; at most 262144 bytes are accepted.',
      });
    },
  }),
);

/** Serves a JSON document of this machine at a path, whatever the method. */
const localEndpoint = (
  path: string,
  value: () => unknown,
  environment = process.env,
): ((method: string) => Destination) => {
  const route = `GET ${path}`;
  const handle = async () => jsonReply(await value(), { 'cache-control': 'no-store' });
  const serving = publicEndpoint({ route, handle });
  const served = { lambda: lambda(path, serving, environment), routeKey: route, parameters: {} };
  const refused = { lambda: lambda(path, fallback([serving])), routeKey: DEFAULT_ROUTE, parameters: {} };
  return (method) => (method === 'GET' || method === 'HEAD' ? served : refused);
};

/** Where the documentation's page looks for tokens; a deployed service has none there. */
const TOKENS_PATH = '/docs/tokens.json';

/**
 * Puts the issuer's public key (CONTRACT §4) before what the service serves, and where tokens are this machine's to
 * give, some for the documentation's page. The page's tokens are signed with a key that only this process has: a dev
 * stage on AWS, which trusts this machine's issuer, does not accept them (decision 20).
 */
export const withLocalEndpoints = async (router: Router, issuer: Issuer, url: string): Promise<Router> => {
  const pageIssuer = await temporaryIssuer();
  const keys = localEndpoint(JWKS_PATH, () => ({ keys: [...issuer.keys.keys, ...pageIssuer.keys.keys] }));
  const served = new Map([[JWKS_PATH, keys]]);
  // For this machine's own page: no other site that is open in the browser may read them.
  const tokens = localEndpoint(TOKENS_PATH, () => demoTokens(pageIssuer), { ...process.env, CORS_ORIGINS: url });
  if (process.env['JWKS_URL'] === url + JWKS_PATH) served.set(TOKENS_PATH, tokens);
  return (method, path) => served.get(path)?.(method) ?? router(method, path);
};
