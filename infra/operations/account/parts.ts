import type { Deployment } from '#infra/operations/deployment.ts';
import { OperationError } from '#infra/operations/operation-error.ts';
import { tables } from '#shared/invoicing/tables.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { AccountFiles } from './account-files.ts';
import { AccountRows } from './account-rows.ts';

/** A part of an account's data: the rows of a table, or objects of the bucket. */
export interface Part {
  readonly name: string;
  has(): Promise<boolean>;
  count(): Promise<number>;
  /** @returns the number of erased rows or objects */
  erase(): Promise<number>;
}

/** The number of rows or objects in each part. */
export type Counts = Readonly<Record<string, number>>;

/**
 * The tables whose rows make workers write. These tables are erased first: a pump stores the deliveries of an endpoint,
 * and cancels the deliveries of a deleted endpoint, an export writes a file, and the outbox becomes events.
 */
const FIRST = ['webhookEndpoints', 'webhookDeliveries', 'exports', 'outbox'] as const satisfies readonly TableName[];

const TABLES = [...new Set([...FIRST, ...(Object.keys(tables) as TableName[])])];

/**
 * Every part of an account's data, in the order of erasing. Each part is found by the account alone, and not by the rows of
 * another part, so an erasure that was interrupted anywhere can begin again.
 */
export const partsOf = (deployment: Deployment, account: string): readonly Part[] => {
  const rows = new AccountRows(deployment, account);
  const files = new AccountFiles(deployment, account);
  return [
    ...TABLES.map((name) => ({
      name,
      has: () => rows.has(name),
      count: () => rows.count(name),
      erase: () => rows.delete(name),
    })),
    objectsOf(
      'unfinished uploads',
      () => files.uploads(),
      (upload) => files.abort(upload),
    ),
    objectsOf(
      'files',
      () => files.list(),
      ({ name }) => files.delete(name),
    ),
  ];
};

const objectsOf = <T>(name: string, list: () => AsyncGenerator<T>, remove: (object: T) => Promise<void>): Part => {
  const each = async (use: (object: T) => Promise<void>): Promise<number> => {
    let count = 0;
    for await (const object of list()) {
      await use(object);
      count += 1;
    }
    return count;
  };
  const has = async (): Promise<boolean> => {
    for await (const _ of list()) return true;
    return false;
  };
  return { name, has, count: () => each(async () => {}), erase: () => each(remove) };
};

/** @throws OperationError for an account without data, whose name is probably misspelt */
export const expectData = async (deployment: Deployment, account: string): Promise<void> => {
  for (const part of partsOf(deployment, account)) if (await part.has()) return;
  throw new OperationError(`${account} has no data in ${deployment.name}.`);
};

/** Called when a part is done. */
export type Report = (name: string, count: number) => void;

export const countParts = (parts: readonly Part[], report?: Report): Promise<Counts> =>
  collect(parts, (part) => part.count(), report);

export const eraseParts = (parts: readonly Part[], report?: Report): Promise<Counts> =>
  collect(parts, (part) => part.erase(), report);

const collect = async (
  parts: readonly Part[],
  use: (part: Part) => Promise<number>,
  report: Report = () => {},
): Promise<Counts> => {
  const counts: Record<string, number> = {};
  for (const part of parts) {
    const count = await use(part);
    counts[part.name] = count;
    report(part.name, count);
  }
  return counts;
};
