import canonicalize from 'canonicalize';
import { tables } from '#shared/invoicing/tables.ts';
import type { TableName } from '#shared/vocabulary.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

/** Tables with a row for each account or member. The list omits idempotency records and the page index. */
const TABLES = (Object.keys(tables) as TableName[]).filter((name) => !['idempotency', 'pages'].includes(name));

/** Times, ids and secrets, which differ between two runs of the same requests. */
const VARYING: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/acct_[0-9a-f-]+/g, 'account'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time'],
  [/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uuid'],
  [/[0-9A-F]{8}-/g, 'prefix'],
  [/whsec_[\w+/=]+/g, 'secret'],
  [/"write_id":"[^"]*"/g, 'write'],
  [/due#\d+/g, 'due'],
  [/\d{9,}/g, 'id'],
];

export const withoutVarying = (text: string): string =>
  VARYING.reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), text);

/** All rows of an account in all tables: equal after the same effects. */
export const stateOf = async (service: LocalService, account: string): Promise<string[]> => {
  const rows = await Promise.all(
    TABLES.map(async (table) =>
      (await rowsOf(service, table, account)).map((row) => withoutVarying(`${table} ${canonicalize(row)}`)),
    ),
  );
  return rows.flat().sort();
};
