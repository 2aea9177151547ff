import fallback from '#functions/meta/fallback.ts';
import { Refusal } from '#shared/domain/refusal.ts';
import { type PublicOperation, publicEndpoint } from '#shared/http/endpoint.ts';
import { LIMITS } from '#shared/http/limits.ts';
import { document } from '#shared/http/reply.ts';
import { DEFAULT_ROUTE } from '#shared/http/routes.ts';
import { servePublic } from '#shared/http/serve.ts';
import { corsOrigins } from '#shared/settings.ts';
import type { LambdaFunction } from './invoke.ts';
import type { Issuer } from './issuer.ts';
import type { Destination } from './router.ts';
import { JWKS_PATH } from './settings.ts';

const lambda = (name: string, endpoint: PublicOperation): LambdaFunction => {
  const report = (message: string, error: Error) => console.error(message, error);
  const read = async (file: string) => {
    throw new Error(`${name} has no ${file}.`);
  };
  return {
    name,
    limits: LIMITS,
    load: async () => servePublic(endpoint, { report, corsOrigins: corsOrigins(process.env), read }),
  };
};

/** Answers a body that API Gateway would not take, in the service's words instead of the gateway's (CONTRACT §10). */
export const TOO_LARGE: LambdaFunction = lambda(
  'too-large',
  publicEndpoint({
    route: DEFAULT_ROUTE,
    handle() {
      throw new Refusal('body-too-large');
    },
  }),
);

/** Serves the local issuer's public key (CONTRACT §4), at its path and whatever the method. */
export const jwksEndpoint = ({ keys }: Issuer): ((method: string) => Destination) => {
  const route = `GET ${JWKS_PATH}`;
  const serving = publicEndpoint({ route, handle: () => document(keys, { 'cache-control': 'no-store' }) });
  const served = { lambda: lambda('jwks', serving), routeKey: route, parameters: {} };
  const refused = { lambda: lambda('jwks-fallback', fallback([serving])), routeKey: DEFAULT_ROUTE, parameters: {} };
  return (method) => (method === 'GET' || method === 'HEAD' ? served : refused);
};
