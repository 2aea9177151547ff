import { afterAll, expect, test } from '@jest/globals';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import { CATALOGUE } from '#shared/vocabulary.ts';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { mutate, type Raw, rawOf } from '#test/support/requests/malformed.ts';
import { drawRequest, Pool, pick, weightedMatrix } from '#test/support/requests/random-requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import { startService } from '#test/support/service/local-service.ts';

/*
 * Random requests to every endpoint of both versions, well formed and malformed. `SEED=… npm run
 * test -- test/resilience/random-requests` repeats the requests of a seed, `RUNS=…` sends more.
 */
const RUNS = extent({ full: 5000, part: 150 });

/** A name that no response may show. */
const HIDDEN = 'hidden-table';

/** Writes of the requests that DynamoDB has committed. */
let writes = 0;

/** Whether a call publishes earlier writes or requests sealing. Lists may do both (CONTRACT §5, §14). */
const isOfList = ({ TableName, TransactItems = [] }: Call): boolean => {
  const tables = TableName ? [TableName] : TransactItems.flatMap((item) => Object.values(item)[0]?.TableName ?? []);
  return tables.every((name) => [`${HIDDEN}-outbox`, `${HIDDEN}-events`, `${HIDDEN}-pages`].includes(name));
};

interface Call {
  readonly TableName?: string;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName: string }>>[];
}

const createHiddenTables = async () => {
  const names = Object.fromEntries(Object.entries(tableVariables()).map(([name, noun]) => [name, `${HIDDEN}-${noun}`]));
  await createTables(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string, names);
  return names;
};

const service = await startService(createHiddenTables);
service.checks.documented = false;
service.client.middlewareStack.add(
  (next, context) => async (call) => {
    const answer = await next(call);
    if (!/^(Get|BatchGet|TransactGet|Query)/.test(String(context.commandName)) && !isOfList(call.input as Call))
      writes++;
    return answer;
  },
  { step: 'initialize', priority: 'high', name: 'count writes' },
);
afterAll(() => service.stop());

/** Stacks, file names, table names, ARNs, and words of the libraries. */
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

/** The first defect in the body of a problem, if any (CONTRACT §10). */
const defectInProblem = ({ status, headers, json }: Answer): string | undefined => {
  if (headers['content-type'] !== 'application/problem+json') return `the Content-Type is ${headers['content-type']}`;
  const missing = MEMBERS.filter((name) => json?.[name] === undefined || json[name] === '');
  if (missing.length > 0) return `the body has no ${missing}`;
  if (!(json.code in CATALOGUE)) return `the code ${json.code} is unknown`;
  if (json.type !== `/problems/${json.code}` || json.status !== status)
    return 'type or status differs from the response';
  if (json.request_id !== headers['x-request-id']) return 'request_id differs from the X-Request-Id header';
  if (status !== 422) return undefined;
  const isWhole = (error: Record<string, unknown>) =>
    ['pointer', 'parameter', 'header'].filter((name) => typeof error[name] === 'string').length === 1 &&
    [error['code'], error['detail']].every((text) => typeof text === 'string' && text !== '');
  return json.errors?.length > 0 && json.errors.every(isWhole)
    ? undefined
    : `the errors are ${JSON.stringify(json.errors)}`;
};

/** Names and paths: words of three letters or more, with capitals, hyphens, underscores or slashes before them. */
const NAMES = /^[a-z]*(?:[-_/A-Z]+[a-z]{2,})*$/;

/**
 * The text of a response without its cursors, secrets and signatures, in which any three letters occur by chance: in a
 * run of 5,000 requests, with a chance of 1 in 10. With them taken out, it is less than 1 in 10,000.
 */
const withoutRandomText = ({ text, headers }: Answer): string =>
  `${text}\n${JSON.stringify(headers)}`.replaceAll(/[\w+/=-]{20,}/g, (run) => (NAMES.test(run) ? run : ''));

/** The first defect of a response, if any. */
const defectIn = ({ method }: Raw, answer: Answer, written: number): string | undefined => {
  const { status, headers, text, json } = answer;
  if (status >= 500) return `the status is ${status}`;
  if (!/^[\w-]{8,}$/.test(headers['x-request-id'] ?? '')) return `X-Request-Id is ${headers['x-request-id']}`;
  const [internal] = INTERNAL.exec(withoutRandomText(answer)) ?? [];
  if (internal) return `the response shows ${JSON.stringify(internal)}: ${json?.detail ?? text.slice(0, 300)}`;
  if (written > 0 && (status >= 300 || ['GET', 'HEAD', 'OPTIONS'].includes(method)))
    return `the status is ${status}, but a write was committed`;
  if (method === 'HEAD') return text === '' ? undefined : 'HEAD has a body';
  return status >= 400 ? defectInProblem(answer) : undefined;
};

const MAX_CURSORS = 50;

/** Continues some GETs from a cursor, which may belong to another list. */
const withCursor = (raw: Raw, cursors: readonly string[], chance: () => number): Raw => {
  if (raw.method !== 'GET' || cursors.length === 0 || chance() < 3 / 4) return raw;
  const separator = raw.target.includes('?') ? '&' : '?';
  return { ...raw, target: `${raw.target}${separator}after=${encodeURIComponent(pick(chance, cursors))}` };
};

test(`${RUNS} random requests: no 5xx, every refusal is a complete problem and changes nothing [CONTRACT §10]`, async () => {
  const chance = chances(SEED);
  const pool = new Pool();
  const cursors: string[] = [];
  const wrong = new Map<string, unknown>();
  for (let run = 0; run < RUNS; run++) {
    const [, version, , operation] = pick(chance, weightedMatrix);
    const raw = mutate(withCursor(rawOf(drawRequest(operation, version, pool, chance)), cursors, chance), chance);
    const before = writes;
    const answer = await service.send(raw.target, raw);
    pool.add(operation, answer);
    if (answer.json?.next_cursor && cursors.length < MAX_CURSORS) cursors.push(answer.json.next_cursor);
    const defect = defectIn(raw, answer, writes - before);
    if (defect) wrong.set(`${operation.route}: ${defect}`, raw);
  }
  expect([...wrong].slice(0, 20)).toEqual([]);
});
