import { type Endpoint, type Method, routeOf } from '#shared/platform/endpoint.ts';
import { isVersion, VERSIONS } from '#shared/platform/wire/version.ts';

/** One route of the gateway: a method and a path template with its version. */
export interface Route<E> {
  readonly method: Method | 'HEAD';
  readonly path: string;
  readonly target: E;
}

/** The gateway's route for whatever no other one takes. */
export const DEFAULT_ROUTE = '$default';

/** What the gateway routes to an endpoint: each version of its path, HEAD wherever GET. */
export const routesOf = <E extends Pick<Endpoint, 'route'>>(endpoint: E): Route<E>[] => {
  if (endpoint.route === DEFAULT_ROUTE) return [];
  const { method, path } = routeOf(endpoint);
  const paths = 'public' in endpoint ? [path] : VERSIONS.map((version) => `/${version}${path}`);
  const methods = method === 'GET' ? (['GET', 'HEAD'] as const) : [method];
  return paths.flatMap((one) => methods.map((each) => ({ method: each, path: one, target: endpoint })));
};

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
};

/** The parameters of a path that fits a template, as API Gateway reads them: a parameter is one non-empty segment. */
const parametersOf = (template: string, path: string): Record<string, string> | undefined => {
  const names = template.split('/');
  const segments = path.split('/');
  if (names.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    const segment = decodeSegment(segments[i] ?? '');
    if (!name.startsWith('{')) {
      if (name !== segments[i]) return undefined;
    } else if (segment === '') return undefined;
    else parameters[name.slice(1, -1)] = segment;
  }
  return parameters;
};

export interface Match<E> {
  readonly route: Route<E>;
  readonly parameters: Record<string, string>;
}

/** Every route whose template the path fits, whatever the method. */
export const matches = <E>(routes: readonly Route<E>[], path: string): Match<E>[] =>
  routes.flatMap((route) => {
    const parameters = parametersOf(route.path, path);
    return parameters ? [{ route, parameters }] : [];
  });

/** Whether a path that fits no route lacks a version, or names one that there is not (§9). */
export const lacksVersion = (routes: readonly Route<unknown>[], path: string): boolean => {
  const [, first = ''] = path.split('/');
  if (/^v\d+$/.test(first)) return !isVersion(first);
  return matches(routes, `/${VERSIONS[0]}${path}`).length > 0;
};
