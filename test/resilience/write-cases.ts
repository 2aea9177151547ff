import { randomUUID } from 'node:crypto';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { SCENARIOS, type Scenario } from '#test/behaviour/events/event-scenarios.ts';
import { idMakers } from '#test/behaviour/support/id-makers.ts';
import { createPrerequisites, operations, otherBodyOf, request } from '#test/support/requests/requests.ts';
import type { Call, Caller } from '#test/support/service/client.ts';
import type { LocalService } from '#test/support/service/local-service.ts';

/** A write, and the status of a retry when the first try succeeded and only its response was lost. */
export interface WriteCase {
  readonly name: string;
  readonly already?: number;
  /** Creates the resources that the write needs. */
  prepare(service: LocalService, caller: Caller): Promise<Call>;
}

const plain = async (operation: Operation, service: LocalService, caller: Caller): Promise<Call> => {
  const { target, sent } = request(operation, 'v1', await createPrerequisites(service, operation, caller));
  const isChange = ['PATCH', 'PUT'].includes(operation.method);
  const body = { ...(sent.body as object), ...(isChange && otherBodyOf(operation)) };
  return { target, sent: { ...sent, ...(sent.body !== undefined && { body }) } };
};

/** The request of a scenario of the events, which changes all that its operation can change. */
const prepared = async (
  scenario: Scenario,
  operation: Operation,
  service: LocalService,
  caller: Caller,
): Promise<Call> => {
  const { path, body } = await scenario.prepare(idMakers(service, caller), () =>
    createPrerequisites(service, operation, caller),
  );
  const { method } = operation;
  const headers = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
  return { target: `/v1${path}`, sent: { method, headers, ...(body && { body }) } };
};

const withHeaders = ({ target, sent }: Call, headers: Readonly<Record<string, string>>): Call => ({
  target,
  sent: { ...sent, headers },
});

/** Actions whose effect is the same when they are executed again; a rewind is possible once a minute. */
const REPEATABLE: Readonly<Record<string, number | undefined>> = {
  'invoices/cancel': undefined,
  'exports/cancel': undefined,
  'webhook-endpoints/rewind': 429,
};

const casesOf = (name: string, operation: Operation): WriteCase[] => {
  const { method, path } = operation;
  const already = method === 'DELETE' ? { already: 404 } : {};
  const cases = (SCENARIOS[name] ?? [undefined]).map((scenario, i): WriteCase => {
    const prepare: WriteCase['prepare'] = (service, caller) =>
      scenario ? prepared(scenario, operation, service, caller) : plain(operation, service, caller);
    return { name: `${operation.route}, case ${i + 1}`, ...already, prepare };
  });
  const { prepare } = cases[0] as WriteCase;
  const ifMatch: WriteCase['prepare'] = async (service, caller) => {
    const call = await prepare(service, caller);
    const { headers } = await service.send(call.target, { as: caller });
    return withHeaders(call, { 'if-match': String(headers['etag']) });
  };
  if (method === 'PATCH') cases.push({ name: `PATCH ${path} with If-Match`, already: 412, prepare: ifMatch });
  if (name in REPEATABLE)
    cases.push({
      name: `${operation.route} without a key`,
      ...(REPEATABLE[name] && { already: REPEATABLE[name] }),
      prepare: async (service, caller) => withHeaders(await prepare(service, caller), {}),
    });
  return cases;
};

/** Every write, with the requests that change most. */
export const writeCases: readonly WriteCase[] = operations
  .filter(([, operation]) => operation.isWrite)
  .flatMap(([name, operation]) => casesOf(name, operation));
