import { HEAD_ID } from '#shared/platform/commit/outbox-row.ts';
import type { TableName } from '#shared/vocabulary.ts';
import type { Raw, Row } from './audited-account.ts';

export interface Damage {
  readonly title: string;
  /** The checks that find it, with its consequences. */
  readonly found: readonly string[];
  readonly make: (raw: Raw) => Promise<unknown>;
  /** Whether only an operator can repair the damage. */
  readonly isFinal: boolean;
}

type IsIt = (row: Row) => unknown;
type Values = Readonly<Record<string, unknown>>;

const damage = (title: string, found: string, make: Damage['make'], isFinal = false): Damage => ({
  title,
  found: found.split(' '),
  make,
  isFinal,
});

/** The last row of a table that fits. */
const find = async (raw: Raw, table: TableName, isIt: IsIt): Promise<Row> => {
  const row = (await raw.rows(table)).findLast(isIt);
  if (!row) throw new Error(`No row of ${table} is fit for the damage.`);
  return row;
};

/** Changes a row. An undefined value removes the attribute. */
const set =
  (table: TableName, isIt: IsIt, values: Values | ((row: Row) => Values)): Damage['make'] =>
  async (raw) => {
    const row = await find(raw, table, isIt);
    await raw.set(table, { id: row.id }, typeof values === 'function' ? values(row) : values);
  };

const lose =
  (table: TableName, isIt: IsIt): Damage['make'] =>
  async (raw) =>
    raw.remove(table, { id: (await find(raw, table, isIt)).id });

const any: IsIt = () => true;
const isPaid: IsIt = ({ status }) => status === 'paid';
const isPending: IsIt = ({ status }) => status === 'pending';
const isItemized: IsIt = (row) => (row['item_ids'] as unknown[]).length > 0;
const isRefunded: IsIt = (row) => row['amount_refunded_cents'];
const isNamed: IsIt = (row) => row['invoice_count'];
const isUnused: IsIt = (row) => row['invoice_count'] === 0;
const isOf =
  (type: string): IsIt =>
  (row) =>
    row['type'] === type;
const isAda: IsIt = (row) => row['external_id'] === 'ada';
const isBob: IsIt = (row) => row['external_id'] === 'bob';
const isCredited: IsIt = (row) => row['amount_credited_cents'];
const isFirst: IsIt = ({ number }) => number === 'A-00001';
const isSecond: IsIt = ({ number }) => number === 'A-00002';
const renumber = (number: string) => (row: Row) => ({
  number,
  by_number: String(row['by_number']).replace('A-00002', number),
});
const ADA = { value: 'customer#external_id#ada' };
const BOB = { value: 'customer#external_id#bob' };
const EVE = { value: 'customer#external_id#eve' };
const NEVER_DUE = { due_at: undefined, by_due_at: undefined };
const NO_PLACE = { queued_at: null, queued_at_id: undefined };

/** The damages, by the check that each damage is made for. */
export const DAMAGES: Readonly<Record<string, readonly Damage[]>> = {
  values: [damage('a name that is a number', 'values', set('customers', any, { name: 7 }), true)],
  indexes: [
    damage('a wrong key', 'indexes', set('invoices', isPaid, { by_status: 'other' })),
    damage('a missing key', 'indexes', set('payments', any, { by_invoice_id: undefined })),
    damage('a key of an absent date', 'indexes', set('invoices', isItemized, { due_date_id: '2026-01-01#1' })),
  ],
  records: [
    damage('a resource that is not stored', 'records', (raw) => {
      const key = `${raw.account}#POST /v1/customers#1`;
      return raw.put('idempotency', { key, status: 201, headers: { Location: '/v1/customers/5' }, created_at: 1 });
    }),
  ],
  outbox: [
    damage('a waiting change that is an event', 'outbox versions', async (raw) => {
      const event = await find(raw, 'events', isOf('customer.created'));
      const { type, resource_type, resource_id, resource_version: version, actor, request_id } = event;
      const changes = [{ type, resource_type, resource_id, version, changed: [] }];
      await raw.put('outbox', { id: 5, changes, actor, request_id, write_id: 'w' });
    }),
  ],
  feed: [
    damage('a lost change', 'feed versions delivered-events', lose('events', isOf('invoice.paid'))),
    damage('a lost creation', 'feed versions delivered-events', lose('events', isOf('refund.created'))),
    damage('a lost deletion', 'feed versions records delivered-events', lose('events', isOf('customer.deleted'))),
    damage('the last events are lost', 'feed versions records positions delivered-events', async (raw) => {
      for (const { id } of (await raw.rows('events')).slice(-9)) await raw.remove('events', { id });
    }),
    damage(
      'a lost creation whose deletion waits, and a row without events',
      'feed versions unique-values delivered-events',
      async (raw) => {
        const { id, ...row } = await find(raw, 'customers', isUnused);
        await lose('events', (event) => isOf('customer.created')(event) && event['resource_id'] === id)(raw);
        const change = { resource_type: 'customer', resource_id: id, version: 1, type: 'customer.deleted' };
        const changes = [{ ...change, changed: [], isDeletion: true }];
        await raw.put('outbox', { id: 5, changes, actor: null, request_id: 'r', write_id: 'w' });
        await raw.remove('customers', { id });
        await raw.put('customers', { ...row, id: 5 });
      },
    ),
    damage('an older head', 'feed', async (raw) => {
      const [event] = (await raw.rows('events')).slice(-3) as [Row];
      await raw.set('outbox', { id: HEAD_ID }, { sequence: event['sequence'], last_id: event.id });
    }),
    damage('no head', 'feed', (raw) => raw.remove('outbox', { id: HEAD_ID })),
    damage(
      'a sequence twice',
      'feed delivered-events',
      set('events', isOf('invoice.paid'), ({ sequence }) => ({ sequence: Number(sequence) - 1 })),
      true,
    ),
  ],
  deletions: [
    damage('a deleted customer', 'deletions unique-values', async (raw) => {
      const { resource_id: id } = await find(raw, 'events', isOf('customer.deleted'));
      await raw.put('customers', { ...(await find(raw, 'customers', isUnused)), id });
    }),
  ],
  owners: [
    damage('a lost customer', 'owners records versions unique-values pages', lose('customers', isNamed)),
    damage('a lost invoice with payments', 'owners records versions customers', lose('invoices', isPaid)),
    damage('a lost invoice with items', 'owners records versions customers', lose('invoices', isItemized)),
    damage('a lost invoice with a credit note', 'owners records versions customers', lose('invoices', isCredited)),
    damage('a lost series', 'owners records versions unique-values', lose('numberSeries', any)),
    damage('a lost payment with a refund', 'owners records versions invoices', lose('payments', isRefunded)),
  ],
  versions: [
    damage(
      'an older row',
      'versions',
      set('invoices', isPaid, ({ version }) => ({ version: version - 1 })),
    ),
    damage(
      'a newer row',
      'versions',
      set('customers', any, ({ version }) => ({ version: version + 3 })),
    ),
    damage('a lost row', 'records versions unique-values pages', lose('customers', isUnused)),
    damage(
      'a status without an event',
      'versions counters',
      set('exports', isPending, ({ version, ...row }) => ({
        ...NEVER_DUE,
        status: 'canceled',
        by_status: String(row['by_status']).replace('pending', 'canceled'),
        by_status_type: String(row['by_status_type']).replace('pending', 'canceled'),
        version: version + 1,
      })),
    ),
  ],
  payments: [
    damage('another amount refunded', 'payments', set('payments', isRefunded, { amount_refunded_cents: 7 })),
    damage('refunds above the amount', 'payments', set('refunds', any, { amount_cents: 9999 }), true),
  ],
  invoices: [
    damage('another amount paid', 'invoices', set('invoices', isPaid, { amount_paid_cents: 7 })),
    damage('another number of payments', 'invoices', set('invoices', isPaid, { payment_count: 7 })),
    damage('another settlement', 'invoices', set('invoices', isPaid, { settlement: null })),
    damage('another amount credited', 'invoices', set('invoices', isCredited, { amount_credited_cents: 7 })),
    damage('a credit note of the total', 'invoices', set('creditNotes', any, { amount_cents: 1000 })),
    damage('no tax', 'invoices', set('invoices', isItemized, { tax_sums: [] })),
    damage('another tax of an item', 'invoices', set('invoiceItems', any, { tax_percent: 7.5 })),
    damage('another total', 'invoices', set('invoices', isItemized, { total_cents: 700 })),
    damage(
      'an open invoice that is paid',
      'invoices indexes',
      set('invoices', isPaid, { status: 'open', paid_at: null }),
    ),
    damage(
      'a lost payment',
      'records invoices versions',
      lose('payments', ({ amount_cents }) => amount_cents === 400),
    ),
    damage('lost items, with payments above the others', 'invoices versions', async (raw) => {
      await set('payments', any, { amount_cents: 250 })(raw);
      await lose('invoiceItems', any)(raw);
    }),
  ],
  customers: [damage('another count', 'customers', set('customers', any, { invoice_count: 7 }))],
  'number-series': [
    damage('an older series', 'number-series', set('numberSeries', any, { last_number: 1 })),
    damage('a series without its last date', 'number-series', set('numberSeries', any, { last_issue_date: null })),
    damage('a lost invoice with a number', 'number-series records versions customers', lose('invoices', isSecond)),
    damage('a lost first number', 'number-series records versions customers', lose('invoices', isFirst)),
    damage('a lost credit note', 'number-series invoices records versions', lose('creditNotes', any)),
    damage('a newer series', 'number-series', set('numberSeries', any, { last_number: 95 })),
    damage('a last number that cannot be', 'number-series', set('numberSeries', any, { last_number: 5000 }), true),
    damage('a number of another series', 'number-series', set('invoices', isSecond, renumber('B-00002')), true),
    damage('a number twice', 'number-series', set('invoices', isSecond, renumber('A-00001')), true),
    damage('a date that falls', 'number-series', set('invoices', isSecond, { issue_date: '2020-01-01' }), true),
  ],
  'unique-values': [
    damage('a lost row', 'unique-values', (raw) => raw.remove('uniqueValues', ADA)),
    damage('a row with the id of another member', 'unique-values', (raw) => raw.set('uniqueValues', ADA, { id: 7 })),
    damage('a row without a member', 'unique-values', (raw) => raw.put('uniqueValues', { ...EVE, id: 7 })),
    damage('a lost value of a member', 'unique-values', set('customers', isAda, { external_id: null })),
    damage(
      'two members with one value',
      'unique-values',
      async (raw) => {
        await set('customers', isBob, { external_id: 'ada' })(raw);
        await raw.remove('uniqueValues', BOB);
      },
      true,
    ),
  ],
  counters: [
    damage('another value', 'counters', (raw) => raw.set('counters', {}, { unfinished_exports: 7 })),
    damage('no counters', 'counters', (raw) => raw.remove('counters', {})),
  ],
  jobs: [damage('an export that is never due', 'jobs', set('exports', isPending, NEVER_DUE))],
  files: [
    damage('a lost file', 'files', async (raw) => {
      const { file_key } = await find(raw, 'exports', ({ status }) => status === 'completed');
      await raw.removeFile(file_key as string);
    }),
  ],
  positions: [
    damage('another id', 'positions', set('webhookEndpoints', any, { position_id: 7 })),
    damage('a creation that was passed', 'positions', set('webhookEndpoints', any, { is_started: false })),
  ],
  'delivered-events': [
    damage('another event', 'delivered-events', set('webhookDeliveries', any, { event_type: 'invoice.deleted' })),
  ],
  deliveries: [damage('a lost delivery', 'deliveries', lose('webhookDeliveries', any))],
  'pending-deliveries': [
    damage('a delivery without a place', 'pending-deliveries', set('webhookDeliveries', isPending, NO_PLACE)),
    damage('an endpoint that is never due', 'pending-deliveries', set('webhookEndpoints', any, NEVER_DUE)),
    damage('a lost endpoint', 'pending-deliveries versions records counters', lose('webhookEndpoints', any)),
  ],
  pages: [
    damage('another count of a group', 'pages', (raw) =>
      raw.set('pages', { collection: `${raw.account}#customers`, id: 0 }, { rows: 7 }),
    ),
    damage('another count of a leaf', 'pages', (raw) =>
      raw.set('pages', { collection: `${raw.account}#customers#leaves`, id: 0 }, { 1: 7 }),
    ),
    damage('more empty groups than one transaction deletes', 'pages', async (raw) => {
      for (const id of [0, ...Array.from({ length: 120 }, (_, i) => 10 * i + 1)])
        for (const collection of [`${raw.account}#invoices`, `${raw.account}#invoices#leaves`])
          await raw.put('pages', { collection, id, end: id === 0 ? 0 : id + 9, rows: 1, deletes: 0, closed: 1 });
    }),
    damage('leaves of another moment', 'pages', (raw) =>
      raw.set('pages', { collection: `${raw.account}#customers#leaves`, id: 0 }, { end: 7 }),
    ),
  ],
};
