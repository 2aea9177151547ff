import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import canonicalize from 'canonicalize';
import { type TableName, tables } from '#shared/invoicing/tables.ts';
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

const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';
/** A 202 of an action on an existing resource creates none. */
const isCreation = ({ status, headers }: Answer): boolean => [201, 202].includes(status) && headers['etag'] === '"1"';

/**
 * The status, headers and body of a response, without its request id and a new secret.
 * @param since epoch milliseconds; times from then on are equal, because each request has its own
 */
export const comparable = (answer: Answer, since: number): object => {
  const headers = { ...answer.headers, 'x-request-id': '' };
  const body = answer.json?.request_id === undefined ? answer.text : answer.text.replace(answer.json.request_id, '');
  const withoutTimes = body.replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (time) =>
    Date.parse(JSON.parse(time)) >= since ? '"now"' : time,
  );
  return { status: answer.status, headers, body: withoutTimes.replace(/"whsec_[^"]*"/, '"secret"') };
};

/** The response to a dry run whose request, without `dry_run`, has this response. */
export const dryResponseOf = (real: Answer): Answer => {
  const { etag, location, ...others } = real.headers;
  if (isReplay(real)) return { ...real, headers: { ...real.headers, 'dry-run': 'true' } };
  const text = isCreation(real) ? real.text.replace(/^\{"id":\d+/, '{"id":null') : real.text;
  return { ...real, headers: { ...others, 'dry-run': 'true' }, text };
};

/** Deletes every item of every table. */
export const emptyTables = async (service: Service): Promise<void> => {
  for (const table of Object.keys(tables) as TableName[]) {
    const { variable, key } = tables[table];
    const TableName = service.environment[variable];
    const keys = (await scan(service, table)).map((item) =>
      Object.fromEntries(Object.values(key).map((name) => [name, item[name]])),
    );
    await Promise.all(keys.map((Key) => service.client.send(new DeleteCommand({ TableName, Key }))));
  }
};
