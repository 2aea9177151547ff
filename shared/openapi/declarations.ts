import { type Endpoint, isPublic } from '#shared/platform/http/endpoint.ts';
import { execute } from '#shared/platform/http/pipeline/execute.ts';
import { executePublic } from '#shared/platform/http/pipeline/execute-public.ts';
import { finish } from '#shared/platform/http/pipeline/finish.ts';
import { problems, statusOf } from '#shared/platform/http/pipeline/problem.ts';
import { operationSteps, timeLimit, trace } from '#shared/platform/http/pipeline/serve.ts';
import type { Declaration, ListFor, RequestHeader, ResponseHeader } from '#shared/platform/http/pipeline/steps/step.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { ProblemCode } from '#shared/vocabulary.ts';

/** The declarations of all steps of an endpoint's pipeline, merged. */
interface PipelineDeclaration {
  readonly reads: readonly RequestHeader[];
  readonly refuses: readonly ProblemCode[];
  parameters(version: Version): readonly string[];
  writes(status: number): readonly ResponseHeader[];
}

export const declarationsOf = (endpoint: Endpoint): PipelineDeclaration =>
  isPublic(endpoint)
    ? fold([gateway, timeLimit, trace, finish, problems, executePublic], endpoint)
    : fold([gateway, timeLimit, trace, finish, ...operationSteps().list, problems, execute], endpoint);

/** The problem codes of an endpoint, by status (CONTRACT §10). */
export const problemCodesByStatus = (endpoint: Endpoint): ReadonlyMap<number, readonly ProblemCode[]> => {
  const byStatus = Map.groupBy(declarationsOf(endpoint).refuses, (code) => statusOf(code, endpoint));
  return new Map([...byStatus].sort(([a], [b]) => a - b));
};

/** API Gateway throttles requests before the first step. */
const gateway = { name: 'gateway', refuses: ['too-many-requests'] } as const;

const fold = <E extends Endpoint>(declarations: readonly Declaration<E>[], endpoint: E): PipelineDeclaration => ({
  reads: unique(declarations.flatMap(({ reads }) => listOf(reads, endpoint))),
  refuses: unique(declarations.flatMap(({ refuses }) => listOf(refuses, endpoint))),
  parameters: (version) => unique(declarations.flatMap(({ parameters }) => listOf(parameters, endpoint, version))),
  // A response passes through the steps in reverse order.
  writes: (status) => unique(declarations.toReversed().flatMap(({ writes }) => listOf(writes, endpoint, status))),
});

export const listOf = <A extends readonly unknown[], T>(
  declared: ListFor<A, T> | undefined,
  ...about: A
): readonly T[] => (typeof declared === 'function' ? declared(...about) : (declared ?? []));

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
