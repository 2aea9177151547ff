import { isVersion, VERSIONS } from '#shared/platform/wire/version.ts';
import type { Endpoint, Method } from './endpoint.ts';

export interface Route<E> {
  readonly method: Method | 'HEAD';
  readonly path: string;
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
  return paths.flatMap((template) => methods.map((each) => ({ method: each, path: template, target: endpoint })));
};

export interface Match<E> {
  readonly route: Route<E>;
  readonly parameters: Record<string, string>;
}

export const matches = <E>(routes: readonly Route<E>[], path: string): Match<E>[] => {
  const segments = path.split('/');
  return routes.flatMap((route) => {
    const parameters = parametersOf(route.path, segments);
    return parameters ? [{ route, parameters }] : [];
  });
};

/** Whether a path has no route only because its version is missing or unknown (CONTRACT §4). */
export const lacksVersion = (routes: readonly Route<unknown>[], path: string): boolean => {
  const [, version, rest = path] = /^\/(v\d+)(\/.*)$/.exec(path) ?? [];
  return !isVersion(version) && matches(routes, `/${VERSIONS[0]}${rest}`).length > 0;
};

/** The parameters of a path that matches a template. As in API Gateway, a parameter is one non-empty segment. */
const parametersOf = (template: string, segments: readonly string[]): Record<string, string> | undefined => {
  const names = template.split('/');
  if (names.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    if (!name.startsWith('{')) {
      if (name !== segments[i]) return undefined;
      continue;
    }
    const segment = decodeSegment(segments[i] ?? '');
    if (segment === '') return undefined;
    parameters[name.slice(1, -1)] = segment;
  }
  return parameters;
};

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
};
