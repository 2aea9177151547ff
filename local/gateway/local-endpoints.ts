import type { Issuer } from '#local/issuer/issuer.ts';
import { demoTokens } from '#local/issuer/tokens.ts';
import { JWKS_PATH } from '#local/settings/settings.ts';
import { type PublicOperation, publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { contentReply, jsonReply } from '#shared/platform/http/reply.ts';
import type { Environment } from '#shared/runtime/settings.ts';

/** An endpoint of the local server alone. */
export interface LocalEndpoint {
  readonly endpoint: PublicOperation;
  readonly environment: Environment;
}

const localEndpoint = (path: string, value: () => unknown, environment: Environment): LocalEndpoint => {
  const handle = async () => jsonReply(await value(), { 'cache-control': 'no-store' });
  return { endpoint: publicEndpoint({ route: `GET ${path}`, handle }), environment };
};

/** The docs page requests its tokens here. A deployed service returns an empty list. */
const TOKENS_PATH = '/docs/tokens.json';

/** The path of the receiver of the demo accounts' webhooks. */
export const RECEIVER_PATH = '/demo/webhooks';

const receiver = publicEndpoint({ route: `POST ${RECEIVER_PATH}`, handle: async () => contentReply('received') });

/**
 * The JWKS of the local issuers (CONTRACT §4), tokens for the docs page if the service trusts them, and the receiver of
 * the demo accounts' webhooks.
 * @param pageIssuer signs the page's tokens with a temporary key, so that a dev stage on AWS, which trusts the other
 * issuer, rejects them (docs/decisions/0020)
 */
export const localEndpoints = (
  issuer: Issuer,
  pageIssuer: Issuer,
  url: string,
  environment: Environment,
): readonly LocalEndpoint[] => {
  const keys = () => ({ keys: [...issuer.keys.keys, ...pageIssuer.keys.keys] });
  // Only the local docs page may read the tokens, not other sites that are open in the browser.
  const tokens = localEndpoint(TOKENS_PATH, () => demoTokens(pageIssuer), { ...environment, CORS_ORIGINS: url });
  const isTrusted = environment['JWKS_URL'] === url + JWKS_PATH;
  const endpoints = [localEndpoint(JWKS_PATH, keys, environment), { endpoint: receiver, environment }];
  return isTrusted ? [...endpoints, tokens] : endpoints;
};
