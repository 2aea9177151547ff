import { isVersion, VERSIONS } from '#shared/platform/wire/version.ts';
import type { Endpoint, Method } from './endpoint.ts';

export interface Route<E> {
  readonly method: Method | 'HEAD';
  readonly path: string;
  readonly pattern: RegExp;
  readonly target: E;
}

/** The gateway's route for requests that match no other route. */
export const DEFAULT_ROUTE = '$default';

/** The routes of an endpoint: each version of its path, with HEAD for each GET. */
export const routesOf = <E extends Pick<Endpoint, 'route' | 'method' | 'path'>>(endpoint: E): Route<E>[] => {
  if (endpoint.route === DEFAULT_ROUTE) return [];
  const { method, path } = endpoint;
  const paths = 'public' in endpoint ? [path] : VERSIONS.map((version) => `/${version}${path}`);
  const methods = method === 'GET' ? (['GET', 'HEAD'] as const) : [method];
  return paths.flatMap((template) => {
    const pattern = patternOf(template);
    return methods.map((each) => ({ method: each, path: template, pattern, target: endpoint }));
  });
};

/** Matches the paths of a template. As in API Gateway, a parameter is one non-empty segment. */
export const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

export interface Match<E> {
  readonly route: Route<E>;
  readonly parameters: Record<string, string>;
}

/** The routes of a path, with its decoded parameters; no route if a parameter is not percent-encoded UTF-8. */
export const matches = <E>(routes: readonly Route<E>[], path: string): Match<E>[] =>
  routes.flatMap((route) => {
    const found = route.pattern.exec(path);
    if (!found) return [];
    try {
      const parameters = Object.entries(found.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]);
      return [{ route, parameters: Object.fromEntries(parameters) }];
    } catch {
      return [];
    }
  });

/** Whether a path has no route only because its version is missing or unknown (CONTRACT §4). */
export const lacksVersion = (routes: readonly Route<unknown>[], path: string): boolean => {
  const [, version, rest = path] = /^\/(v\d+)(\/.*)$/.exec(path) ?? [];
  return !isVersion(version) && matches(routes, `/${VERSIONS[0]}${rest}`).length > 0;
};
