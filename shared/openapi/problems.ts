import { EXPLANATIONS } from '#shared/invoicing/problem-explanations.ts';
import type { ResponseHeader } from '#shared/platform/http/pipeline/steps/step.ts';
import type { Explanation } from '#shared/platform/problem.ts';
import { moneyName } from '#shared/platform/wire/money.ts';
import { Id } from '#shared/platform/wire/schema.ts';
import { CATALOGUE, type ProblemCode } from '#shared/vocabulary.ts';
import { headersOfProblem } from './headers.ts';
import { integer, type Json, jsonSchema } from './json-schema.ts';
import { ref } from './resources.ts';

const text = (description: string): Json => ({ type: 'string', description });
const amount = (description: string): Json => integer({ minimum: 0, description });

/** The amounts in problems, in the form of each version. */
const amounts: Json = Object.fromEntries(
  Object.entries<Explanation>(EXPLANATIONS).flatMap(([code, explanation]) =>
    Object.entries(explanation.amounts ?? {}).flatMap(([name, meaning]) => [
      [name, amount(`With \`${code}\`: ${meaning}, in minor units (v1).`)],
      [
        moneyName(name),
        {
          type: 'object',
          description: `With \`${code}\`: ${meaning} (v2).`,
          properties: { amount: amount('The amount, in minor units.'), currency: text('The currency (ISO 4217).') },
          required: ['amount', 'currency'],
        },
      ],
    ]),
  ),
);

const Violation: Json = {
  type: 'object',
  description: 'One error of a request, and its place: a pointer, a parameter or a header.',
  properties: {
    pointer: text('The place in the body (JSON pointer, RFC 6901). Empty for the whole body.'),
    parameter: text('The name of the query parameter.'),
    header: text('The name of the request header.'),
    code: text('The kind of error, for programs.'),
    detail: text('The error, for people.'),
  },
  required: ['code', 'detail'],
  // Requires one place. A `oneOf` would hide the members from openapi-generator.
  minProperties: 3,
};

const Problem: Json = {
  type: 'object',
  description: 'An error response (RFC 9457). In programs, use `status` and `code`.',
  properties: {
    type: text('The path of a page that explains the code: its meaning, its cause and what to do.'),
    title: text('The meaning of the code, in one sentence.'),
    status: integer({ minimum: 400, maximum: 599, description: 'The HTTP status of the response.' }),
    detail: text('What is wrong with this request, for people. The wording can change.'),
    code: {
      title: 'ProblemCode',
      type: 'string',
      enum: Object.keys(CATALOGUE),
      description: 'The kind of error, for programs: stable.',
    },
    request_id: text('The same as the header `X-Request-Id`. Quote it when you report a problem.'),
    errors: {
      type: 'array',
      minItems: 1,
      items: ref('schemas', 'Violation'),
      maxItems: 101,
      description:
        'With 422: every error of the request, at most 100. One further entry states how many more there are.',
    },
    rule: text('With `policy-denied`: the name of the rule.'),
    field: text('With `already-taken`: the name of the field whose value another resource has.'),
    conflicting_id: {
      ...jsonSchema(Id),
      description:
        'With `already-taken`: the id of the other resource, if the token has the read scope of its collection.',
    },
    'violated-policies': {
      type: 'array',
      items: { type: 'string' },
      description: 'With `too-many-requests`: the names of the policies of `RateLimit-Policy` that were exceeded.',
    },
    changed: {
      type: 'array',
      items: { type: 'string' },
      description:
        'With `precondition-failed`: the names of the v1 fields that have changed since the version in `If-Match`, sorted. ' +
        'Absent if that is not an earlier version of the resource, if `If-Match` lists several, or if it is more than 1,000 versions old.',
    },
    ...amounts,
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
};

const GatewayMessage: Json = {
  type: 'object',
  description: 'The response of API Gateway on AWS to a request that it rejects itself.',
  properties: { message: text('The error, for people.') },
  required: ['message'],
};

export const PROBLEM_SCHEMAS = { Problem, Violation, GatewayMessage };

const JSON_PROBLEM = 'application/problem+json';
const GATEWAY = { 'application/json': { schema: ref('schemas', 'GatewayMessage') } };

const linkTo = (code: ProblemCode): string => `- [\`${code}\`](/problems/${code}): ${CATALOGUE[code].title}`;

/** The name of the response with these codes. Operations with the same codes share it. */
export const problemName = (codes: readonly ProblemCode[]): string => [...codes].sort().join('.');

/**
 * The response whose problem has one of these codes. All problems have one schema, so generated clients have one type of
 * error.
 */
export const problemResponse = (
  status: number,
  codes: readonly ProblemCode[],
  headerNames: readonly ResponseHeader[],
  examples: Json = {},
): Json => {
  const content = { [JSON_PROBLEM]: { schema: ref('schemas', 'Problem'), ...examples } };
  const own = headersOfProblem(headerNames);
  const sorted = [...codes].sort();
  return {
    description: sorted.map(linkTo).join('\n'),
    ...(Object.keys(own).length > 0 && { headers: own }),
    content: status === 429 ? { ...content, ...GATEWAY } : content,
    'x-problem-codes': sorted,
  };
};
