import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { jsonReply } from '#shared/platform/http/reply.ts';
import { addressOf } from '#shared/platform/http/request/address.ts';

const LINKSET = 'application/linkset+json';

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /.well-known/api-catalog',
  summary: 'Get the links of the service',
  description: 'Returns the links of the service to its OpenAPI document, its documentation and its status (RFC 9727).',
  produces: {
    [LINKSET]: {
      type: 'object',
      properties: { linkset: { type: 'array', items: { type: 'object' } } },
      required: ['linkset'],
    },
  },
  handle({ headers }) {
    const anchor = addressOf(headers);
    const link = (path: string, type: string) => [{ href: `${anchor}${path}`, type }];
    const links = {
      anchor: `${anchor}/`,
      'service-desc': link('/openapi.json', 'application/json'),
      'service-doc': link('/docs', 'text/html'),
      'service-meta': link('/llms.txt', 'text/plain'),
      status: link('/health', 'application/json'),
    };
    return jsonReply({ linkset: [links] }, { 'content-type': LINKSET, 'cache-control': 'no-cache' });
  },
});
