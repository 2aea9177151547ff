import { Refusal } from '#shared/domain/refusal.ts';
import { isPreflight } from '#shared/http/cors.ts';
import { type Endpoint, publicEndpoint } from '#shared/http/endpoint.ts';
import { DEFAULT_ROUTE, lacksVersion, matches, routesOf } from '#shared/http/routes.ts';

/** Whatever no route takes: preflights, 405 for a known path, and 404 (CONTRACT §4, §10). */
export default (endpoints: readonly Endpoint[]) => {
  const routes = endpoints.flatMap(routesOf);
  return publicEndpoint({
    route: DEFAULT_ROUTE,
    handle({ method, rawPath, headers }) {
      if (isPreflight({ method, headers })) return { status: 204 };
      const methods = matches(routes, rawPath).map(({ route }) => route.method);
      const allow = { allow: [...methods, 'OPTIONS'].join(', ') };
      if (methods.length > 0 && method === 'OPTIONS') return { status: 204, headers: allow };
      if (methods.length > 0) throw new Refusal('method-not-allowed', { headers: allow });
      throw new Refusal(lacksVersion(routes, rawPath) ? 'version-required' : 'not-found');
    },
  });
};
