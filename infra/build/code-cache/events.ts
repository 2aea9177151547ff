import { readFileSync } from 'node:fs';
import type { RecordedExchange } from '#shared/openapi/recorded.ts';
import { EXCHANGES } from '#shared/openapi/source.ts';
import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import { matches, routesOf } from '#shared/platform/http/routes.ts';

const exchanges = JSON.parse(readFileSync(EXCHANGES, 'utf8')) as RecordedExchange[];

/** A request of an endpoint: the first example of the documentation, if the endpoint has an example. */
export const eventOf = (file: string, endpoint: Endpoint, token: string): object => {
  const { method, path: template } = routesOf(endpoint)[0] ?? { method: 'GET', path: '/' };
  const example = exchanges.find((exchange) => exchange.file === file && exchange.target.startsWith('/v1/'));
  const [path = '', query = ''] = (example?.target ?? template.replaceAll(/\{\w+\}/g, '1')).split('?');
  const body = example?.sent.body;
  return {
    version: '2.0',
    routeKey: `${method} ${template}`,
    rawPath: path,
    rawQueryString: query,
    headers: { ...example?.sent.headers, authorization: `Bearer ${token}` },
    pathParameters: matches(routesOf(endpoint), path)[0]?.parameters,
    requestContext: { requestId: 'build', http: { method, path, sourceIp: '127.0.0.1' } },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    isBase64Encoded: false,
  };
};
