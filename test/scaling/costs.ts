import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** What a request has used of DynamoDB, as its answers say. */
export interface Used {
  readonly calls: number;
  readonly reads: number;
  readonly writes: number;
  /** How many of them one account can make in a second before a partition of its is at its limit; 0 where none is. */
  readonly most: number;
}

/** What one partition serves in a second, and a table is one for each account until DynamoDB splits it. */
export const PARTITION = { reads: 3000, writes: 1000 };

const READS = /^(Get|BatchGet|Query)/;

type Kind = 'reads' | 'writes';
type Units = Map<string, number>;

/** The units of one answer by table and by index, each of which has partitions of its own. */
const partsOf = ({ TableName = '', Table, GlobalSecondaryIndexes = {} }: ConsumedCapacity): [string, number][] => [
  [TableName, Table?.CapacityUnits ?? 0],
  ...Object.entries(GlobalSecondaryIndexes).map(([index, { CapacityUnits = 0 }]): [string, number] => [
    `${TableName} ${index}`,
    CapacityUnits,
  ]),
];

const sum = (units: Units): number => [...units.values()].reduce((total, one) => total + one, 0);

/** The records of keys are spread over partitions; everything else of an account is one of each table and index. */
const mostOf = (reads: Units, writes: Units): number => {
  const ceilings = Object.entries({ reads, writes }).flatMap(([kind, units]) =>
    [...units]
      .filter(([name, one]) => name !== 'idempotency' && one > 0)
      .map(([, one]) => PARTITION[kind as Kind] / one),
  );
  return ceilings.length === 0 ? 0 : Math.floor(Math.min(...ceilings));
};

/** Counts a client's calls and units; the function takes what was used since it was last called. */
export const counting = (client: DynamoDBDocumentClient): (() => Used) => {
  let calls = 0;
  const units: Record<Kind, Units> = { reads: new Map(), writes: new Map() };
  client.middlewareStack.add(
    (next, context) => async (call) => {
      const answer = await next({ ...call, input: { ...call.input, ReturnConsumedCapacity: 'INDEXES' } });
      const { ConsumedCapacity = [] } = answer.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };
      const of = units[READS.test(String(context.commandName)) ? 'reads' : 'writes'];
      for (const [name, one] of [ConsumedCapacity].flat().flatMap(partsOf)) of.set(name, (of.get(name) ?? 0) + one);
      calls += 1;
      return answer;
    },
    { step: 'initialize', priority: 'high', name: 'counting' },
  );
  return () => {
    const { reads, writes } = units;
    for (const [name, one] of reads) reads.set(name, tens(one));
    const used = { calls, reads: sum(reads), writes: sum(writes), most: mostOf(reads, writes) };
    calls = 0;
    for (const one of Object.values(units)) one.clear();
    return used;
  };
};

/** Of many rows, an id more or less long is a unit: not counted finer than the document says it. */
const tens = (reads: number): number => (reads < 50 ? reads : Math.round(reads / 10) * 10);

/**
 * US dollars, us-east-1, on demand, as AWS listed them in 2025; assumed, not looked up. For a million, where nothing
 * else is said.
 */
export const PRICES = {
  readUnits: 0.125,
  writeUnits: 0.625,
  gatewayRequests: 1,
  invocations: 0.2,
  armGigabyteSecond: 0.0000133334,
  logGigabyte: 0.5,
};

/** Assumed of one request, since Lambda was never measured: 1 GB for so many milliseconds, and two lines of the log. */
export const ASSUMED = { gigabytes: 1, baseMs: 10, callMs: 8, logBytes: 1000 };

const MILLION = 1e6;

/** What a million of such requests cost: DynamoDB, Lambda, and the gateway with the logs. */
export const dollars = ({ calls, reads, writes }: Omit<Used, 'most'>) => {
  const { gigabytes, baseMs, callMs, logBytes } = ASSUMED;
  const seconds = (baseMs + calls * callMs) / 1000;
  const dynamo = reads * PRICES.readUnits + writes * PRICES.writeUnits;
  const lambda = PRICES.invocations + seconds * gigabytes * PRICES.armGigabyteSecond * MILLION;
  const gateway = PRICES.gatewayRequests + (logBytes / 1e9) * PRICES.logGigabyte * MILLION;
  return { dynamo, lambda, gateway, all: dynamo + lambda + gateway };
};

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const ceiling = (most: number): string => (most === 0 ? '–' : most.toLocaleString('en-US'));

/** The table of docs/scaling.md. */
export const tableOf = (used: Readonly<Record<string, Used>>): string =>
  [
    row([
      'operation',
      'calls',
      'read units',
      'write units',
      'DynamoDB',
      'Lambda',
      'gateway, logs',
      '$ per million',
      'an account, a second',
    ]),
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...Object.entries(used).map(([name, one]) => {
      const { dynamo, lambda, gateway, all } = dollars(one);
      const money = [dynamo, lambda, gateway, all].map((amount) => amount.toFixed(2));
      return row([
        `\`${name}\``.replace(/^`(refused.*)`$/, '$1'),
        one.calls,
        one.reads,
        one.writes,
        ...money,
        ceiling(one.most),
      ]);
    }),
  ].join('\n');

const MONTH_S = 30 * 86_400;

/** What a month of 10,000 requests a second costs, four of five a read of a member and one a payment. */
export const monthOf = (used: Readonly<Record<string, Used>>): string => {
  const [read, paid] = [used['GET /invoices/{id}'], used['POST /payments, of a part']] as [Used, Used];
  const parts = (['dynamo', 'lambda', 'gateway', 'all'] as const).map((part) => {
    const perMillion = 0.8 * dollars(read)[part] + 0.2 * dollars(paid)[part];
    return `$${(Math.round((perMillion * 10_000 * MONTH_S) / MILLION / 100) * 100).toLocaleString('en-US')}`;
  });
  const [dynamo, lambda, gateway, all] = parts;
  return `A month of it is ${dynamo} of DynamoDB, ${lambda} of Lambda, ${gateway} of gateway and logs: ${all}.`;
};
