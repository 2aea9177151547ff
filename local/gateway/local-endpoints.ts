import fallback from '#functions/service/fallback.ts';
import { type Issuer, temporaryIssuer } from '#local/issuer/issuer.ts';
import { demoTokens } from '#local/issuer/tokens.ts';
import { JWKS_PATH } from '#local/settings/settings.ts';
import { type PublicOperation, publicEndpoint } from '#shared/platform/endpoint.ts';
import { jsonReply } from '#shared/platform/http/reply.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { publicLambda } from '#shared/runtime/endpoint-runtime.ts';
import type { Destination, LambdaFunction, Router } from './invoke.ts';

const lambda = (name: string, endpoint: PublicOperation, environment = process.env): LambdaFunction => ({
  name,
  limits: LAMBDA_DEFAULTS,
  load: async () => publicLambda(endpoint, environment),
});

/** Responds to a body that API Gateway would reject with the service's own problem (CONTRACT §10). */
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

const localEndpoint = (
  path: string,
  value: () => unknown,
  environment = process.env,
): ((method: string) => Destination) => {
  const route = `GET ${path}`;
  const handle = async () => jsonReply(await value(), { 'cache-control': 'no-store' });
  const endpoint = publicEndpoint({ route, handle });
  const found = { lambda: lambda(path, endpoint, environment), routeKey: route, parameters: {} };
  const notAllowed = { lambda: lambda(path, fallback([endpoint])), routeKey: DEFAULT_ROUTE, parameters: {} };
  return (method) => (method === 'GET' || method === 'HEAD' ? found : notAllowed);
};

/** The docs page requests its tokens here. A deployed service returns none. */
const TOKENS_PATH = '/docs/tokens.json';

/**
 * Adds the JWKS of the local issuer (CONTRACT §4) to the routes, and tokens for the docs page if the service trusts the
 * local issuer. A temporary key signs the page's tokens, so that a dev stage on AWS, which trusts the local issuer,
 * rejects them (decision 20).
 */
export const withLocalEndpoints = async (router: Router, issuer: Issuer, url: string): Promise<Router> => {
  const pageIssuer = await temporaryIssuer();
  const keys = localEndpoint(JWKS_PATH, () => ({ keys: [...issuer.keys.keys, ...pageIssuer.keys.keys] }));
  const found = new Map([[JWKS_PATH, keys]]);
  // Only the local docs page may read the tokens, not other sites that are open in the browser.
  const tokens = localEndpoint(TOKENS_PATH, () => demoTokens(pageIssuer), { ...process.env, CORS_ORIGINS: url });
  if (process.env['JWKS_URL'] === url + JWKS_PATH) found.set(TOKENS_PATH, tokens);
  return (method, path) => found.get(path)?.(method) ?? router(method, path);
};
