import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import canonicalize from 'canonicalize';
import { type TableName, tables } from '#shared/invoicing/tables.ts';
import { batchesOf } from '#shared/platform/data/batches.ts';
import type { Sent } from './event.ts';
import { scan, scanRaw } from './invariants.ts';
import type { Answer, Claims, Service } from './service.ts';

/** A request and the caller that sends it. */
export interface Call {
  readonly target: string;
  readonly sent: Sent & { readonly claims?: Claims; readonly remaining?: number };
}

/** The call as a dry run (CONTRACT §13). */
export const dryRunOf = ({ target, sent }: Call, value = 'true'): Call => ({
  target: `${target}${target.includes('?') ? '&' : '?'}dry_run=${value}`,
  sent,
});

export const sendDryRun = (service: Pick<Service, 'send'>, call: Call): Promise<Answer> => {
  const { target, sent } = dryRunOf(call);
  return service.send(target, sent);
};

/** Every item of every table as a line of text. The lines are equal only for equal tables. */
export const snapshot = async (service: Service): Promise<string[]> => {
  const names = Object.keys(tables) as TableName[];
  const items = await Promise.all(names.map((table) => scanRaw(service, table)));
  return names.flatMap((table, i) => (items[i] as object[]).map((item) => `${table} ${toText(item)}`)).sort();
};

/** The items that are in one snapshot only. */
export const changesBetween = (before: readonly string[], after: readonly string[]): string[] => {
  const [old, current] = [new Set(before), new Set(after)];
  return [...before.filter((item) => !current.has(item)), ...after.filter((item) => !old.has(item))];
};

/** The engine returns the attributes of an item in any order. */
const toText = (item: object): string => canonicalize(item) as string;

/** A loaded machine does not accept hundreds of connections within the SDK's time limit. */
const MAX_BATCH = 25;

/** Deletes every item of every table. */
export const emptyTables = async (service: Service): Promise<void> => {
  for (const table of Object.keys(tables) as TableName[]) {
    const { variable, key } = tables[table];
    const TableName = service.environment[variable];
    const keys = (await scan(service, table)).map((item) =>
      Object.fromEntries(Object.values(key).map((name) => [name, item[name]])),
    );
    for (const batch of batchesOf(keys, MAX_BATCH)) {
      await Promise.all(batch.map((Key) => service.client.send(new DeleteCommand({ TableName, Key }))));
    }
  }
};
