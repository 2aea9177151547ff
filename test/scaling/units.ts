import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { currentInvocation } from '#shared/platform/telemetry/invocation.ts';

/** A request’s use of DynamoDB, by the consumed capacity in the responses. */
export interface Usage {
  readonly calls: number;
  readonly reads: number;
  readonly writes: number;
  /**
   * The largest number of these requests per second of one account, with the events that follow them, at the limit of
   * one partition; 0 if there is no limit.
   */
  readonly maxPerSecond: number;
}

/** The units per second of one partition. An account is one partition of each table until DynamoDB splits it. */
export const PARTITION = { reads: 3000, writes: 1000 };

const READS = /^(Get|BatchGet|Query|Scan)/;

type Kind = 'reads' | 'writes';
type Units = Map<string, number>;

/** The units of one response by table and by index, each of which has its own partitions. */
const partsOf = ({ TableName = '', Table, GlobalSecondaryIndexes = {} }: ConsumedCapacity): [string, number][] => [
  [TableName, Table?.CapacityUnits ?? 0],
  ...Object.entries(GlobalSecondaryIndexes).map(([index, { CapacityUnits = 0 }]): [string, number] => [
    `${TableName} ${index}`,
    CapacityUnits,
  ]),
];

const sum = (units: Units): number => [...units.values()].reduce((total, one) => total + one, 0);

/** Idempotency records are spread over partitions. An account's other rows are in one partition per table and index. */
const maxPerSecondOf = (reads: Units, writes: Units): number => {
  const ceilings = Object.entries({ reads, writes }).flatMap(([kind, units]) =>
    [...units]
      .filter(([name, one]) => name !== 'idempotency' && one > 0)
      .map(([, one]) => PARTITION[kind as Kind] / one),
  );
  return ceilings.length === 0 ? 0 : Math.floor(Math.min(...ceilings));
};

/**
 * Adds the cost of the events that follow a request, at its lowest: each event is appended with many others, and the
 * row of the outbox is deleted.
 */
const withPublishing = (writes: Units, events: number): Units =>
  events === 0
    ? writes
    : new Map([
        ...writes,
        ['outbox', 1.5 * (writes.get('outbox') ?? 0)],
        ['events', (writes.get('events') ?? 0) + 2 * events],
      ]);

interface Input {
  readonly TableName?: string;
  readonly TransactItems?: readonly { readonly Put?: { readonly TableName: string; readonly Item: Changes } }[];
}
type Changes = { readonly changes?: readonly object[] };

const changesIn = ({ TransactItems = [] }: Input): number =>
  TransactItems.reduce(
    (total, { Put }) => total + (Put?.TableName === 'outbox' ? (Put.Item.changes?.length ?? 0) : 0),
    0,
  );

/** Counts a client’s calls and units. The returned function returns the use since its last call. */
export const countUnits = (client: DynamoDBDocumentClient): (() => Usage) => {
  let calls = 0;
  let changes = 0;
  const units: Record<Kind, Units> = { reads: new Map(), writes: new Map() };
  /** The table of a query that the SDK does not deserialize, and the units that the request has read. */
  let raw: { readonly table: string; readonly readUnits: () => number } | undefined;
  client.middlewareStack.add(
    (next, context) => async (call) => {
      const answer = await next({ ...call, input: { ...call.input, ReturnConsumedCapacity: 'INDEXES' } });
      const { ConsumedCapacity = [] } = answer.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };
      const of = units[READS.test(String(context.commandName)) ? 'reads' : 'writes'];
      const usage = currentInvocation()?.usage;
      if (usage && [ConsumedCapacity].flat().length === 0)
        raw = { table: (call.input as { TableName: string }).TableName, readUnits: () => usage.readUnits };
      for (const [name, one] of [ConsumedCapacity].flat().flatMap(partsOf)) of.set(name, (of.get(name) ?? 0) + one);
      calls += 1;
      changes += changesIn(call.input as Input);
      return answer;
    },
    { step: 'initialize', priority: 'high', name: 'count-units' },
  );
  return () => {
    const { reads, writes } = units;
    if (raw) reads.set(raw.table, raw.readUnits() - sum(reads));
    raw = undefined;
    for (const [name, one] of reads) reads.set(name, roundToTens(one));
    const used = {
      calls,
      reads: sum(reads),
      writes: sum(writes),
      maxPerSecond: maxPerSecondOf(reads, withPublishing(writes, changes)),
    };
    calls = 0;
    changes = 0;
    for (const one of Object.values(units)) one.clear();
    return used;
  };
};

/** Rounds the units of many rows, which vary with the length of ids. */
const roundToTens = (reads: number): number => (reads < 50 ? reads : Math.round(reads / 10) * 10);

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

const ceiling = (maximum: number): string => (maximum === 0 ? '–' : maximum.toLocaleString('en-US'));

/** The table of docs/scaling.md. */
export const tableOf = (used: Readonly<Record<string, Usage>>): string =>
  [
    row(['operation', 'calls', 'read units', 'write units', 'an account, a second']),
    '|---|--:|--:|--:|--:|',
    ...Object.entries(used).map(([name, one]) => {
      const title = `\`${name}\``.replace(/^`(refused.*)`$/, '$1');
      return row([title, one.calls, one.reads, one.writes, ceiling(one.maxPerSecond)]);
    }),
  ].join('\n');
