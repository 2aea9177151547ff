import { endpoints } from '#functions/index.ts';
import { matches, routesOf } from '#shared/platform/http/routes.ts';
import { checkDocumented } from '#test/support/documents/check-documented.ts';
import type { Deployment } from './suite/service.ts';
import { ownHeaders } from './suite/transport.ts';

const routes = Object.values(endpoints).flatMap(routesOf);

/** Compares a response with docs/openapi.json. */
export const compareWithDocument: NonNullable<Deployment['inspect']> = ({ method, target }, received) => {
  const response = { ...received, headers: ownHeaders(received) };
  const [path = '', ...query] = target.split('?');
  const found = matches(routes, path).find(({ route }) => route.method === method);
  checkDocumented({ method, path: found?.route.path, query: query.join('?'), ...response });
};

/** An account has at most 20 webhook endpoints (CONTRACT §15), and each delivers the events of later checks. */
export const isLimited = (path: string): boolean => path.includes('/webhook-endpoints/');
