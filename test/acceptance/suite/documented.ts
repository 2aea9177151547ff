import { endpoints } from '#functions/index.ts';
import { matches, routesOf } from '#shared/platform/http/routes.ts';
import { checkDocumented } from '#test/support/check-documented.ts';
import type { Deployment } from './service.ts';
import type { ReceivedResponse } from './transport.ts';

const routes = Object.values(endpoints).flatMap(routesOf);

/** Headers that Node's server, API Gateway and CloudFront add. */
const TRANSFER =
  /^(date|connection|keep-alive|transfer-encoding|apigw-requestid|server|via|age|x-cache|x-amz-cf-.*|x-amzn-.*|strict-transport-security)$/;

/** The headers of a response that the service itself writes. */
export const ownHeaders = ({ headers }: Pick<ReceivedResponse, 'headers'>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !TRANSFER.test(name)));

/** Compares a response with docs/openapi.json. */
export const compareWithDocument: NonNullable<Deployment['inspect']> = ({ method, target }, received) => {
  const response = { ...received, headers: ownHeaders(received) };
  const [path = '', ...query] = target.split('?');
  const found = matches(routes, path).find(({ route }) => route.method === method);
  checkDocumented({ method, path: found?.route.path, query: query.join('?'), ...response });
};
