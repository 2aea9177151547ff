import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import { CATALOGUE } from '#shared/invoicing/problems/catalogue.ts';
import { chances, SEED } from '#test/ledger/seed.ts';
import { mutate, type Raw, rawOf } from '#test/support/malformed.ts';
import { drawRequest, Pool, pick, weightedMatrix } from '#test/support/random-requests.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

/*
 * Random requests to every endpoint of both versions, well formed and malformed: `SEED=… npm test --
 * test/contract/random` sends the same ones again, `RUNS=…` sends more.
 */
const RUNS = Number(process.env['RUNS'] ?? 5000);
jest.setTimeout(60_000 + RUNS * 20);

/** A name that no response may show. */
const HIDDEN = 'hidden-table';

let service: Service;
/** How many writes DynamoDB has committed. */
let writes = 0;

const createHiddenTables = async () => {
  const names = Object.fromEntries(Object.entries(tableVariables()).map(([name, noun]) => [name, `${HIDDEN}-${noun}`]));
  await createTables(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string, names);
  return names;
};

beforeAll(async () => {
  service = await startService(createHiddenTables);
  service.checks.documented = false;
  service.client.middlewareStack.add(
    (next, context) => async (call) => {
      const answer = await next(call);
      if (!/^(Get|BatchGet|Query)/.test(String(context.commandName))) writes++;
      return answer;
    },
    { step: 'initialize', priority: 'high', name: 'count writes' },
  );
});
afterAll(() => service.stop());

/** Stacks, file names, names of tables, ARNs, and words of the libraries that the service is made of. */
const INTERNAL = new RegExp(
  [
    ...['\\n\\s+at ', 'node_modules', 'file:', '\\.[mc]?[jt]s\\b', 'arn:', 'amazonaws', HIDDEN, '\\bby_\\w+#?'],
    ...['DynamoDB', 'Exception\\b', '[a-z]Error\\b', 'ExpressionAttribute', 'ConditionExpression', 'Projection'],
    ...[
      'valibot',
      'middy',
      'Middy',
      'jose\\b',
      'JWS',
      'JWK',
      'Unexpected (?:token|end|non)',
      'Expected (?:property|double)',
    ],
    ...['in JSON at', 'Invalid (?:type|key|length)', '\\[object ', '\\bundefined\\b', '\\bNaN\\b'],
  ].join('|'),
);

const MEMBERS = ['type', 'title', 'status', 'detail', 'code', 'request_id'];

/** What is wrong with the body of a refusal (CONTRACT §10). */
const problemIn = ({ status, headers, json }: Answer): string | undefined => {
  if (headers['content-type'] !== 'application/problem+json') return `the type is ${headers['content-type']}`;
  const missing = MEMBERS.filter((name) => json?.[name] === undefined || json[name] === '');
  if (missing.length > 0) return `no ${missing}`;
  if (!(json.code in CATALOGUE)) return `the code ${json.code} is unknown`;
  if (json.type !== `/problems/${json.code}` || json.status !== status)
    return 'type or status differ from the response';
  if (json.request_id !== headers['x-request-id']) return 'request_id is not that of the header';
  if (status !== 422) return undefined;
  const isWhole = (error: Record<string, unknown>) =>
    ['pointer', 'parameter', 'header'].filter((name) => typeof error[name] === 'string').length === 1 &&
    [error['code'], error['detail']].every((text) => typeof text === 'string' && text !== '');
  return json.errors?.length > 0 && json.errors.every(isWhole)
    ? undefined
    : `errors are ${JSON.stringify(json.errors)}`;
};

/** What is wrong with a response. */
const wrongWith = ({ method }: Raw, answer: Answer, written: number): string | undefined => {
  const { status, headers, text, json } = answer;
  if (status >= 500) return `it is ${status}`;
  if (!/^[\w-]{8,}$/.test(headers['x-request-id'] ?? '')) return `X-Request-Id is ${headers['x-request-id']}`;
  const [internal] = INTERNAL.exec(`${text}\n${JSON.stringify(headers)}`) ?? [];
  if (internal) return `it shows ${JSON.stringify(internal)}: ${json?.detail ?? text.slice(0, 300)}`;
  if (written > 0 && (status >= 300 || ['GET', 'HEAD', 'OPTIONS'].includes(method)))
    return `it wrote, and is ${status}`;
  if (method === 'HEAD') return text === '' ? undefined : 'it has a body';
  return status >= 400 ? problemIn(answer) : undefined;
};

test(`${RUNS} random requests: no 5xx, every refusal a whole problem that changes nothing [CONTRACT §10]`, async () => {
  const chance = chances(SEED);
  const pool = new Pool();
  const wrong = new Map<string, unknown>();
  for (let run = 0; run < RUNS; run++) {
    const [, version, , operation] = pick(chance, weightedMatrix);
    const raw = mutate(rawOf(drawRequest(operation, version, pool, chance)), chance);
    const before = writes;
    const answer = await service.send(raw.target, raw);
    pool.add(operation, answer);
    const why = wrongWith(raw, answer, writes - before);
    if (why) wrong.set(`${operation.route}: ${why}`, raw);
  }
  expect([...wrong].slice(0, 20)).toEqual([]);
});
