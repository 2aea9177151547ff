import type { Context } from 'aws-lambda';
import type { Endpoint } from '#shared/platform/endpoint.ts';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import type { RequestContext } from '#shared/platform/http/pipeline/steps/context.ts';
import type { Step } from '#shared/platform/http/pipeline/steps/step.ts';
import { isVersion } from '#shared/platform/wire/version.ts';

export const normalizeEvent = (event: GatewayEvent, context: Context): RequestContext => {
  const [, version] = event.rawPath.split('/');
  const headers = Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...event,
    headers: Object.fromEntries(headers),
    method: event.requestContext.http.method.toUpperCase(),
    requestId: context.awsRequestId,
    version: isVersion(version) ? version : undefined,
  };
};

export const requestId: Step<Endpoint> = {
  name: 'requestId',
  writes: ['X-Request-Id'],
  after: ({ event, response }) => {
    response.headers['x-request-id'] = event.requestId;
  },
};
