import { CATALOGUE, type ProblemCode } from '#shared/invoicing/problems/catalogue.ts';
import { type Endpoint, isPublic } from '#shared/platform/endpoint.ts';
import { execute } from '#shared/platform/http/pipeline/execute.ts';
import { executePublic } from '#shared/platform/http/pipeline/execute-public.ts';
import { statusOf } from '#shared/platform/http/pipeline/problem.ts';
import { OPERATION_STEPS, PUBLIC_STEPS, timeLimit } from '#shared/platform/http/pipeline/serve.ts';
import type { Declaration, ListFor, RequestHeader, ResponseHeader } from '#shared/platform/http/pipeline/step.ts';
import type { Version } from '#shared/platform/wire/version.ts';

/** API Gateway throttles before any step. */
const gateway = { name: 'gateway', refuses: ['too-many-requests'] } as const;

/** What the steps of an endpoint's pipeline declare, taken together. */
export interface Fold {
  readonly reads: readonly RequestHeader[];
  readonly refuses: readonly ProblemCode[];
  parameters(version: Version): readonly string[];
  writes(status: number): readonly ResponseHeader[];
}

export const declarationsOf = (endpoint: Endpoint): Fold =>
  isPublic(endpoint)
    ? fold([gateway, timeLimit, ...PUBLIC_STEPS, executePublic], endpoint)
    : fold([gateway, timeLimit, ...OPERATION_STEPS, execute], endpoint);

const fold = <E extends Endpoint>(declarations: readonly Declaration<E>[], endpoint: E): Fold => ({
  reads: unique(declarations.flatMap(({ reads }) => listOf(reads, endpoint))),
  refuses: unique(declarations.flatMap(({ refuses }) => listOf(refuses, endpoint))),
  parameters: (version) => unique(declarations.flatMap(({ parameters }) => listOf(parameters, endpoint, version))),
  // A response passes through the steps from the innermost one outward.
  writes: (status) => unique(declarations.toReversed().flatMap(({ writes }) => listOf(writes, endpoint, status))),
});

export const listOf = <A extends readonly unknown[], T>(
  declared: ListFor<A, T> | undefined,
  ...about: A
): readonly T[] => (typeof declared === 'function' ? declared(...about) : (declared ?? []));

const unique = <T>(all: readonly T[]): T[] => [...new Set(all)];

/** The codes of each status that an endpoint refuses with (CONTRACT §10). */
export const refusalsOf = (endpoint: Endpoint): ReadonlyMap<number, readonly ProblemCode[]> => {
  const byStatus = Map.groupBy(declarationsOf(endpoint).refuses, (code) => statusOf(code, endpoint, CATALOGUE));
  return new Map([...byStatus].sort(([a], [b]) => a - b));
};
