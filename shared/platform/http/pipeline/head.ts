import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Middleware } from './context.ts';

const strip = (response: GatewayResult | null | undefined): void => {
  if (response?.body === undefined) return;
  response.headers['content-length'] = Buffer.byteLength(response.body, response.isBase64Encoded ? 'base64' : 'utf8');
  response.body = '';
  response.isBase64Encoded = false;
};

/** HEAD: the headers of GET, no body (RFC 9110 §9.3.2). */
export const head = (): Middleware => ({
  name: 'head',
  after: ({ event, response }) => {
    if (event.method === 'HEAD') strip(response);
  },
  onError: ({ event, response }) => {
    if (event.method === 'HEAD') strip(response);
  },
});
