import { type Endpoint, publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { isPreflight } from '#shared/platform/http/pipeline/cors.ts';
import { DEFAULT_ROUTE, lacksVersion, matches, routesOf } from '#shared/platform/http/routes.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

/** Responds to requests without a route: preflights, 405 for a known path, otherwise 404 (CONTRACT §4, §10). */
export default (endpoints: readonly Endpoint[]) => {
  const routes = endpoints.flatMap(routesOf);
  return publicEndpoint({
    route: DEFAULT_ROUTE,
    refuses: ['method-not-allowed', 'not-found', 'version-required'],
    handle({ method, rawPath, headers }) {
      if (isPreflight({ method, headers })) return { status: 204 };
      const methods = [...new Set(matches(routes, rawPath).map(({ route }) => route.method))];
      const allow = [...methods, 'OPTIONS'].join(', ');
      if (methods.length > 0 && method === 'OPTIONS') return { status: 204, headers: { allow } };
      // The gateway routes before it decodes, so a known path with an encoded letter arrives here.
      const isEncoded = methods.some((name) => name === method);
      if (methods.length > 0 && !isEncoded) {
        throw new ProblemError('method-not-allowed', {
          detail: `${method} is not supported here.`,
          headers: { allow },
        });
      }
      if (!lacksVersion(routes, rawPath)) throw new ProblemError('not-found');
      throw new ProblemError('version-required', {
        detail: `The path ${quote(rawPath)} begins with no known version.`,
      });
    },
  });
};
