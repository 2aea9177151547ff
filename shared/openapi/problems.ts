import type { ProblemCode } from '#shared/invoicing/problems/catalogue.ts';
import { CATALOGUE } from '#shared/invoicing/problems/catalogue.ts';
import { EXPLANATIONS } from '#shared/invoicing/problems/explanations.ts';
import type { ResponseHeader } from '#shared/platform/http/pipeline/step.ts';
import type { Explanation } from '#shared/platform/problem.ts';
import { moneyName } from '#shared/platform/wire/money.ts';
import { headers } from './headers.ts';
import type { Json } from './json-schema.ts';
import { ref } from './resources.ts';

const text = (description: string): Json => ({ type: 'string', description });
const amount = (description: string): Json => ({ type: 'integer', minimum: 0, description });
const places = ['pointer', 'parameter', 'header'];

/** The amounts that problems hold, as each version writes them. */
const amounts: Json = Object.fromEntries(
  Object.entries<Explanation>(EXPLANATIONS).flatMap(([code, explanation]) =>
    Object.entries(explanation.amounts ?? {}).flatMap(([name, meaning]) => [
      [name, amount(`With \`${code}\`: ${meaning}, in minor units (v1).`)],
      [
        moneyName(name),
        {
          type: 'object',
          description: `With \`${code}\`: ${meaning} (v2).`,
          properties: { amount: amount('In minor units.'), currency: text('ISO 4217.') },
          required: ['amount', 'currency'],
        },
      ],
    ]),
  ),
);

const Violation: Json = {
  type: 'object',
  description: 'One thing that is wrong with a request, and where.',
  properties: {
    pointer: text('A place in the body (RFC 6901); the whole body is empty.'),
    parameter: text('A query parameter.'),
    header: text('A header.'),
    code: text('What is wrong, for programs.'),
    detail: text('What is wrong, for people.'),
  },
  required: ['code', 'detail'],
  oneOf: places.map((place) => ({ required: [place] })),
};

const Problem: Json = {
  type: 'object',
  description: 'Why a request was refused (RFC 9457).',
  properties: {
    type: text('The path of the page that explains the code.'),
    title: text('What the code means.'),
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The status of the answer.' },
    detail: text('What is wrong with this request.'),
    code: { type: 'string', enum: Object.keys(CATALOGUE), description: 'What is wrong, for programs: stable.' },
    request_id: text('The same as the header `X-Request-Id`.'),
    errors: {
      type: 'array',
      minItems: 1,
      items: ref('schemas', 'Violation'),
      maxItems: 101,
      description:
        'All violations at once, with 422 only. When there are more than 100, one further entry states how many more.',
    },
    rule: text('With `policy-denied`: which rule.'),
    ...amounts,
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
};

/** What the gateway says by itself: the service never sees the request. */
const GatewayMessage: Json = {
  type: 'object',
  description: 'What API Gateway answers by itself on AWS.',
  properties: { message: text('What is wrong.') },
  required: ['message'],
};

export const PROBLEM_SCHEMAS = { Problem, Violation, GatewayMessage };

const JSON_PROBLEM = 'application/problem+json';
const GATEWAY = { 'application/json': { schema: ref('schemas', 'GatewayMessage') } };

const linked = (code: ProblemCode): string => `- [\`${code}\`](/problems/${code}): ${CATALOGUE[code].title}`;

/** The name of the answer of a status with these codes; operations with the same ones share it. */
export const problemName = (codes: readonly ProblemCode[]): string => [...codes].sort().join('.');

/** A problem with a status and one of these codes, the headers that it carries, and examples of its media type. */
export const problemResponse = (
  status: number,
  codes: readonly ProblemCode[],
  written: readonly ResponseHeader[],
  examples: Json = {},
): Json => {
  const schema = {
    allOf: [
      ref('schemas', 'Problem'),
      { properties: { code: { enum: [...codes].sort() }, status: { const: status } } },
    ],
  };
  const content = { [JSON_PROBLEM]: { schema, ...examples } };
  return {
    description: [...codes].sort().map(linked).join('\n'),
    headers: headers(written),
    content: status === 429 ? { ...content, ...GATEWAY } : content,
  };
};
