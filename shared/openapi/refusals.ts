import type { ProblemCode } from '#shared/invoicing/problems/catalogue.ts';
import { CATALOGUE } from '#shared/invoicing/problems/catalogue.ts';
import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import { referencesOf } from './references.ts';

const ANY: readonly ProblemCode[] = [
  'unauthenticated',
  'insufficient-scope',
  'malformed-query',
  'unsupported-media-type',
  'validation-failed',
  'too-many-requests',
  'internal-error',
  'unavailable',
];
const WITH_BODY: readonly ProblemCode[] = ['malformed-json', 'body-too-large'];
const KEYED: readonly ProblemCode[] = ['invalid-idempotency-key', 'idempotency-key-reused', 'request-in-progress'];

/** Every code that an operation can answer with: those of the pipeline's steps that it takes, and its own. */
const codesOf = (operation: Operation): ProblemCode[] => {
  const { method, path } = routeOf(operation);
  const isMember = path.includes('{');
  return [
    ...ANY,
    ...(method === 'GET' || method === 'DELETE' ? [] : WITH_BODY),
    ...(method === 'GET' ? [] : (['invalid-header'] as const)),
    ...(operation.idempotency ? KEYED : []),
    ...(operation.idempotency === 'required' ? (['idempotency-key-required'] as const) : []),
    ...(operation.permits ? (['policy-denied'] as const) : []),
    ...(operation.lists ? (['invalid-cursor'] as const) : []),
    ...(isMember || referencesOf(operation).length > 0 ? (['not-found'] as const) : []),
    ...(isMember && method !== 'GET' ? (['precondition-failed'] as const) : []),
  ];
};

/** The codes of each status that an operation can refuse with (CONTRACT §10). */
export const refusalsOf = (operation: Operation): ReadonlyMap<number, readonly ProblemCode[]> => {
  const own = (operation.refuses ?? []).map((one) => (typeof one === 'string' ? { code: one } : one));
  const all = [...codesOf(operation).map((code) => ({ code })), ...own];
  const byStatus = Map.groupBy(all, (one) => ('status' in one ? one.status : CATALOGUE[one.code].status));
  return new Map(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, ones]) => [status, ones.map(({ code }) => code)]),
  );
};
