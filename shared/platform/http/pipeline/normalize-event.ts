import type { GatewayEvent } from '#shared/platform/gateway.ts';
import { isVersion } from '#shared/platform/wire/version.ts';
import type { Exchange, Middleware } from './context.ts';

/** Opens the exchange: one form for every gateway's event, and an id that every response carries. */
export const receive = (): Middleware => ({
  name: 'receive',
  before: (request) => {
    const event = request.event as unknown as GatewayEvent;
    const [, version] = event.rawPath.split('/');
    const headers = Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]);
    const exchange: Exchange = {
      ...event,
      headers: Object.fromEntries(headers),
      method: event.requestContext.http.method.toUpperCase(),
      requestId: request.context.awsRequestId,
      version: isVersion(version) ? version : undefined,
    };
    request.event = exchange;
  },
  after: ({ event, response }) => {
    if (response) response.headers['x-request-id'] = event.requestId;
  },
  onError: ({ event, response }) => {
    if (response) response.headers['x-request-id'] = event.requestId;
  },
});
