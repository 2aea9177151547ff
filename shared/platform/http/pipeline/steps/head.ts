import type { Endpoint } from '#shared/platform/endpoint.ts';
import type { Step } from './step.ts';

/** HEAD: the headers of GET without the body (RFC 9110 §9.3.2). */
export const head: Step<Endpoint> = {
  name: 'head',
  after: ({ event, response }) => {
    const { body, isBase64Encoded, headers } = response;
    if (event.method !== 'HEAD' || body === undefined) return;
    headers['content-length'] = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
    response.body = '';
    response.isBase64Encoded = false;
  },
};
