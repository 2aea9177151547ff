import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { jsonReply } from '#shared/platform/http/reply.ts';
import { addressOf, METADATA_PATH } from '#shared/platform/http/request/address.ts';

const isAddress = (issuer: string): boolean => /^https?:$/.test(URL.parse(issuer)?.protocol ?? '');

const text = { type: 'string' };
const texts = { type: 'array', items: text };

/** CONTRACT §4. */
export default publicEndpoint({
  route: `GET ${METADATA_PATH}`,
  summary: 'Get the metadata of the service for OAuth clients',
  description: 'Returns the issuer of access tokens, if it is a URL, and the scopes of the service (RFC 9728).',
  produces: {
    'application/json': {
      type: 'object',
      properties: {
        resource: text,
        authorization_servers: texts,
        scopes_supported: texts,
        bearer_methods_supported: texts,
        resource_documentation: text,
      },
      required: ['resource', 'scopes_supported', 'bearer_methods_supported', 'resource_documentation'],
    },
  },
  namesIssuer: true,
  handle({ headers }, { issuer }) {
    const resource = addressOf(headers);
    const metadata = {
      resource,
      ...(isAddress(issuer()) && { authorization_servers: [issuer()] }),
      scopes_supported: [...ROLE_SCOPES.admin].sort(),
      bearer_methods_supported: ['header'],
      resource_documentation: `${resource}/docs`,
    };
    return jsonReply(metadata, { 'cache-control': 'no-cache' });
  },
});
