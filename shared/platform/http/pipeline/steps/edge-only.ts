import type { Endpoint } from '#shared/platform/endpoint.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Step } from './step.ts';

/** CloudFront sends a secret in this header, and overwrites that of a client. */
export const EDGE_SECRET = 'x-origin-verify';

interface Dependencies {
  /** The secrets of CloudFront; none when the gateway serves all clients. */
  readonly edgeSecrets: readonly string[];
}

/**
 * 404 for a request that has bypassed CloudFront and its web ACL. The OpenAPI document describes the public address,
 * where nobody gets this 404, so the step declares no refusal (docs/decisions/0067-a-header-closes-the-gateway.md).
 */
export const edgeOnly: Step<Endpoint, Dependencies> = {
  name: 'edgeOnly',
  reads: ['X-Origin-Verify'],
  before: ({ headers }, { edgeSecrets }) => {
    if (edgeSecrets.length === 0) return;
    const sent = headers[EDGE_SECRET] ?? '';
    if (edgeSecrets.some((secret) => isEqual(sent, secret))) return;
    throw new ProblemError('not-found', { detail: 'This host serves no clients. Use the public address of the API.' });
  },
};

const isEqual = (sent: string, secret: string): boolean => {
  const [one, other] = [Buffer.from(sent), Buffer.from(secret)];
  // Not imported: the functions of most stages need no module for it.
  return one.length === other.length && process.getBuiltinModule('node:crypto').timingSafeEqual(one, other);
};
