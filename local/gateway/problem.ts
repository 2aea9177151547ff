import { randomUUID } from 'node:crypto';
import type { GatewayResult } from '#shared/platform/gateway.ts';

/** The answer to a request that reaches no function, in the form of every other refusal (CONTRACT §10). */
export const invalidHeader = (status: number, title: string, detail = title): GatewayResult => {
  const id = randomUUID();
  const problem = { type: '/problems/invalid-header', title, status, detail, code: 'invalid-header', request_id: id };
  return {
    statusCode: status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': id, connection: 'close' },
    body: JSON.stringify(problem),
  };
};
