import { randomUUID } from 'node:crypto';
import type { GatewayEvent } from '#shared/platform/gateway.ts';

interface RequestInfo {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly sourceIp: string;
  readonly time: Date;
  readonly routeKey: string;
}

/** A time in the Common Log Format: `21/Nov/2026:09:30:00 +0000`. */
const commonLogTime = (time: Date): string => {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
};

/** The `requestContext` of an event in payload format 2.0, without an authorizer. */
export const requestContext = (request: RequestInfo): GatewayEvent['requestContext'] => {
  const { method, path, headers, sourceIp, time, routeKey } = request;
  const [domainName = ''] = (headers.get('host') ?? '').split(':');
  return {
    accountId: '000000000000',
    apiId: 'local',
    domainName,
    domainPrefix: domainName.split('.')[0] as string,
    http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: headers.get('user-agent') ?? '' },
    requestId: randomUUID(),
    routeKey,
    stage: '$default',
    time: commonLogTime(time),
    timeEpoch: time.getTime(),
  };
};
