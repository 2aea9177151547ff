import { expect, test } from '@jest/globals';
import '#shared/platform/workarounds/v8-json-parse-63785.ts';
import { randomUUID } from 'node:crypto';
import { lambdaContext } from '#local/gateway/invoke.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { operationSteps, pipeline } from '#shared/platform/http/pipeline/serve.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { operations } from '#test/support/requests/requests.ts';
import { eventOf } from '#test/support/service/event.ts';
import { bindingOf } from './binding.ts';
import { HOSTILE_BODIES } from './hostile-bodies.ts';

/** The response to an accepted body: no handler runs. */
const ACCEPTED = { statusCode: 200, headers: {} };

const MAX_ERRORS = 100;

/** Sends a body to the steps of an operation. */
const send = async (route: string, body: string) => {
  const [method = '', path = ''] = route.split(' ');
  const isRouted = ([, operation]: (typeof operations)[number]) => {
    const own = operation;
    return own.method === method && own.path === path.replace(/^\/v\d/, '');
  };
  const [, operation] = operations.find(isRouted) as readonly [string, Operation];
  const headers = {
    authorization: 'Bearer all',
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, '1']);
  const event = eventOf(path.replace(/\{\w+\}/, '1'), { method, headers, body }, Object.fromEntries(parameters));
  const handler = pipeline(operationSteps(), { handle: async () => ACCEPTED }, bindingOf(operation));
  const { statusCode, body: text = '{}' } = await handler(
    event,
    lambdaContext('test', LAMBDA_DEFAULTS, { remaining: 600_000 }),
  );
  return { status: statusCode as number, errors: JSON.parse(text).errors ?? [] };
};

test.each(
  HOSTILE_BODIES.map((body) => [body.kind, body.route, body.status < 300 ? 'accepted' : body.status, body] as const),
)(
  '%s, %s: %s, with at most 100 violations and the number of the others [CONTRACT §4, §10]',
  async (_, route, outcome, { text, first, violations }) => {
    const { status, errors } = await send(route, text());
    const [listed, others] = [errors.slice(0, MAX_ERRORS), errors.slice(MAX_ERRORS)];
    const [one] = listed;
    expect([status, one ? `${one.pointer} ${one.code}` : '']).toEqual([outcome === 'accepted' ? 200 : outcome, first]);
    expect(listed).toHaveLength(Math.min(violations, MAX_ERRORS));
    const detail = `${violations - MAX_ERRORS} more violations are not listed`;
    expect(others).toEqual(violations > MAX_ERRORS ? [{ pointer: '', code: 'too-many-violations', detail }] : []);
  },
);
