import { randomUUID } from 'node:crypto';
import fc from '#test/support/random/fast-check.ts';
import type { Caller } from '#test/support/service/client.ts';
import type { FeedReader } from './feed.ts';
import { type Actor, dueOf, type InvoiceFields, type Ledger, type Prediction } from './ledger.ts';

/** A request of one client, and the response that the ledger predicts. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly body?: object | undefined;
  readonly key?: string | undefined;
  readonly version?: number | undefined;
  readonly scope: string;
  readonly prediction: Prediction;
}

/** A success under a key: the request, and the comparable parts of its response. */
export interface KeyedSuccess {
  readonly request: Request;
  readonly response: string;
}

/** One account: its ledger and the keys of its clients. */
export interface Account {
  readonly id: string;
  readonly ledger: Ledger;
  readonly feed: FeedReader;
  readonly keyedSuccesses: KeyedSuccess[];
  /** Keys of refused requests, which may be used again (CONTRACT §8). */
  readonly reusableKeys: string[];
}

const ALL =
  'number-series:write number-series:read invoices:write invoices:read payments:write payments:read refunds:write refunds:read ' +
  'credit-notes:write credit-notes:read';

/** Several subjects and roles of one account, and another account with a subject of the same name. */
export const CLIENTS = {
  ann: { at: 0, as: { sub: 'ann', role: 'admin' } },
  bea: { at: 0, as: { sub: 'bea', role: 'accountant' } },
  cid: { at: 0, as: { sub: 'cid', role: 'clerk' } },
  vic: { at: 0, as: { sub: 'vic', role: 'viewer' } },
  bot: { at: 0, as: { sub: 'bot', role: undefined, scope: ALL } },
  'other ann': { at: 1, as: { sub: 'ann', role: 'admin' } },
} as const satisfies Record<string, { at: 0 | 1; as: Caller }>;
export type Client = keyof typeof CLIENTS;

/** Whether a role lacks a scope (CONTRACT §2). */
export const lacksScope = ({ role }: Actor, scope: string): boolean =>
  scope.endsWith(':write') &&
  (WRITERS[scope] ?? ['clerk', 'accountant', 'admin', undefined]).every((one) => one !== role);

const WRITERS: Readonly<Record<string, readonly Actor['role'][]>> = {
  'refunds:write': ['accountant', 'admin', undefined],
  'credit-notes:write': ['accountant', 'admin', undefined],
  'number-series:write': ['admin', undefined],
};

/** Creates a request from the state of an account; ids of the `foreign` account are unknown in it. */
type CreateRequest = (own: Account, foreign: Account, actor: Actor) => Request;

/** A step of a run: its text for the report of a failure, and its request. */
export interface Action {
  readonly text: string;
  readonly createRequest: CreateRequest;
}

type Table = 'invoices' | 'invoiceItems' | 'payments' | 'numberSeries';
/** Position from the newest; FOREIGN picks a member of the other account. */
const AT = fc.integer({ min: 0, max: 9 });
const FOREIGN = 9;
const pick = (table: Table, at: number, own: Account, foreign: Account): number => {
  // Only the three newest resources, so that many requests concern the same resource.
  const ids = [...(at === FOREIGN ? foreign : own).ledger[table].keys()];
  return ids.at(-1 - (at % Math.max(1, Math.min(3, ids.length)))) ?? 1;
};

const CENTS = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 }));
const POSITIVE = fc.integer({ min: 1, max: 9 });
const TEXT = fc.constantFrom('a', 'b');
const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> =>
  fc.record(shape, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;

/** Few values, so that two members often want the same value. */
const EXTERNAL_ID = fc.constantFrom('x', 'y', null);

const TERMS = {
  total_cents: CENTS,
  currency: fc.constantFrom('USD', 'EUR'),
  description: fc.option(TEXT),
  due_date: fc.option(fc.constantFrom('2026-11-20', '2026-11-21', '2026-12-01')),
  external_id: EXTERNAL_ID,
};
const STATUS = fc.constantFrom('draft', 'open', 'open', 'paid', 'paid', 'canceled');
type Terms = Omit<InvoiceFields, 'series_id'>;
const STATUS_OF_NEW = fc.constantFrom('draft', 'open', 'open');
/** Half of the new invoices have a total above 0 for certain, because most requests need one. */
const NEW: fc.Arbitrary<Partial<Terms>> = fc.oneof(
  some<Terms>({ ...TERMS, status: STATUS_OF_NEW }),
  fc.record({ total_cents: fc.integer({ min: 1, max: 20 }), currency: TERMS.currency }),
);
const CHANGE = fc.oneof(
  some<Terms>({ ...TERMS, status: STATUS }),
  some<Omit<Terms, 'status'>>(TERMS),
  fc.record({ status: STATUS }),
  fc.record({ total_cents: CENTS }),
  fc.record({ currency: TERMS.currency }),
  fc.record({ due_date: TERMS.due_date }),
  fc.record({ external_id: EXTERNAL_ID }),
);
/** The version in If-Match: the present or the earlier version, or no If-Match. */
const MATCH = fc.constantFrom('none', 'present', 'present', 'past');
const LINE = {
  description: TEXT,
  quantity: fc.constantFrom(1, 2, 0.5, 1.5),
  unit_amount_cents: fc.nat(4),
  tax_percent: fc.constantFrom(null, 50),
};
/** The idempotency key: a new key, the key of a refused request (it may be used again, CONTRACT §8), or no key. */
const KEY = fc.constantFrom('new', 'new', 'refused', 'none');

const pickVersion = (member: { version: number } | undefined, match: string): { version?: number } => {
  if (match === 'none' || !member) return {};
  return { version: match === 'past' ? member.version - 1 : member.version };
};
const KEYLESS: Prediction = { refused: ['400 idempotency-key-required'] };
const pickKey = ({ reusableKeys }: Account, how: string): string | undefined =>
  how === 'none' ? undefined : (how === 'refused' && reusableKeys.pop()) || randomUUID();

/** An action with random arguments. */
const action = <A>(name: string, weight: number, args: fc.Arbitrary<A>, create: (args: A) => CreateRequest) => ({
  weight,
  arbitrary: args.map((given): Action => ({ text: `${name} ${JSON.stringify(given)}`, createRequest: create(given) })),
});

const invoices = '/v1/invoices';
const items = '/v1/invoice-items';
const series = '/v1/number-series';
const creditNotes = '/v1/credit-notes';

/** Adds a series to the body of an invoice: none, null, or a series at a position. */
const SERIES = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant(null) },
  AT,
);
const withSeries = <T extends object>(body: T, at: number | null | undefined, own: Account, foreign: Account): T =>
  at === undefined ? body : { ...body, series_id: at === null ? null : pick('numberSeries', at, own, foreign) };

const create =
  (total_cents: number): CreateRequest =>
  ({ ledger }) => {
    const body = { total_cents };
    const prediction = ledger.createInvoice(body);
    return { method: 'POST', target: invoices, body, key: randomUUID(), scope: 'invoices:write', prediction };
  };
const credit =
  (amount_cents: number): CreateRequest =>
  ({ ledger }) => {
    const invoice_id = [...ledger.invoices.keys()].at(-1) as number;
    const body = { invoice_id, amount_cents, reason: 'a', external_id: null };
    const prediction = ledger.credit({ ...body, series_id: null });
    return { method: 'POST', target: creditNotes, body, key: randomUUID(), scope: 'credit-notes:write', prediction };
  };
const settle: CreateRequest = ({ ledger }, _, actor) => {
  const id = [...ledger.invoices.keys()].at(-1) as number;
  const body = { status: 'paid' };
  const prediction = ledger.changeInvoice(id, 'PATCH', body, actor);
  return { method: 'PATCH', target: `${invoices}/${id}`, body, scope: 'invoices:write', prediction };
};

/**
 * The first requests of each account: a number series, an invoice that is settled outside and credited in full, an invoice
 * that is credited in part, and an invoice to itemize.
 */
export const INITIAL_REQUESTS: readonly CreateRequest[] = [
  ({ ledger }) => {
    const [body, prediction] = [{ prefix: 'A-' }, ledger.createSeries('A-')];
    return { method: 'POST', target: series, body, key: randomUUID(), scope: 'number-series:write', prediction };
  },
  ...[create(20), settle, credit(20)],
  ...[create(20), credit(5)],
  create(0),
];

export const ACTIONS = fc.oneof(
  action('create invoice', 4, fc.record({ new: NEW, at: SERIES, how: KEY }), (given) => (own, foreign) => {
    const { how } = given;
    const body = withSeries(given.new, given.at, own, foreign);
    const prediction = own.ledger.createInvoice(body);
    return { method: 'POST', target: invoices, body, key: pickKey(own, how), scope: 'invoices:write', prediction };
  }),
  action(
    'create itemized invoice',
    3,
    fc.record({ body: NEW, lines: fc.array(fc.record(LINE), { maxLength: 3 }), hasSum: fc.boolean(), how: KEY }),
    ({ body: terms, lines: items, hasSum, how }) =>
      (own) => {
        const { total_cents: _, ...others } = terms;
        const body = { ...(hasSum ? others : terms), items };
        const prediction = own.ledger.createInvoice(body);
        return { method: 'POST', target: invoices, body, key: pickKey(own, how), scope: 'invoices:write', prediction };
      },
  ),
  ...(['PATCH', 'PUT'] as const).map((method) =>
    action(
      method,
      method === 'PUT' ? 2 : 5,
      fc.record({ at: AT, change: CHANGE, series: SERIES, match: MATCH }),
      (given) => (own, foreign, actor) => {
        const id = pick('invoices', given.at, own, foreign);
        const body = withSeries(given.change, given.series, own, foreign);
        const match = pickVersion(own.ledger.invoices.get(id), given.match);
        const prediction = own.ledger.changeInvoice(id, method, body, actor, match.version);
        return { method, target: `${invoices}/${id}`, body, ...match, scope: 'invoices:write', prediction };
      },
    ),
  ),
  action(
    'cancel',
    2,
    fc.record({ at: AT, match: MATCH, hasKey: fc.boolean() }),
    ({ at, match, hasKey }) =>
      (own, foreign) => {
        const id = pick('invoices', at, own, foreign);
        const { version } = pickVersion(own.ledger.invoices.get(id), match);
        const key = hasKey ? randomUUID() : undefined;
        const prediction = own.ledger.cancel(id, version);
        return {
          method: 'POST',
          target: `${invoices}/${id}/cancel`,
          key,
          version,
          scope: 'invoices:write',
          prediction,
        };
      },
  ),
  action(
    'create series',
    1,
    fc.record({ prefix: fc.constantFrom('A-', 'B-'), how: KEY }),
    ({ prefix, how }) =>
      (own) => {
        const prediction = own.ledger.createSeries(prefix);
        const scope = 'number-series:write';
        return { method: 'POST', target: series, body: { prefix }, key: pickKey(own, how), scope, prediction };
      },
  ),
  action(
    'change series',
    2,
    fc.record({ at: AT, status: fc.constantFrom('active', 'active', 'closed') }),
    ({ at, status }) =>
      (own, foreign) => {
        const id = pick('numberSeries', at, own, foreign);
        const prediction = own.ledger.changeSeries(id, status);
        return {
          method: 'PATCH',
          target: `${series}/${id}`,
          body: { status },
          scope: 'number-series:write',
          prediction,
        };
      },
  ),
  action('delete series', 1, AT, (at) => (own, foreign) => {
    const id = pick('numberSeries', at, own, foreign);
    const prediction = own.ledger.deleteSeries(id);
    return { method: 'DELETE', target: `${series}/${id}`, scope: 'number-series:write', prediction };
  }),
  action('delete', 1, fc.record({ at: AT, match: MATCH }), ({ at, match }) => (own, foreign) => {
    const id = pick('invoices', at, own, foreign);
    const { version } = pickVersion(own.ledger.invoices.get(id), match);
    const prediction = own.ledger.delete(id, version);
    return { method: 'DELETE', target: `${invoices}/${id}`, version, scope: 'invoices:write', prediction };
  }),
  action(
    'add item',
    7,
    fc.record({ at: AT, line: fc.record(LINE), how: KEY }),
    ({ at, line, how }) =>
      (own, foreign) => {
        const invoice_id = pick('invoices', at, own, foreign);
        const prediction = own.ledger.addItem(invoice_id, line);
        const body = { invoice_id, ...line };
        return { method: 'POST', target: items, body, key: pickKey(own, how), scope: 'invoices:write', prediction };
      },
  ),
  action(
    'patch item',
    3,
    fc.record({ at: AT, body: some(LINE), match: MATCH }),
    ({ at, body, match }) =>
      (own, foreign) => {
        const id = pick('invoiceItems', at, own, foreign);
        const { version } = pickVersion(own.ledger.invoiceItems.get(id), match);
        const prediction = own.ledger.changeItem(id, body, version);
        return { method: 'PATCH', target: `${items}/${id}`, body, version, scope: 'invoices:write', prediction };
      },
  ),
  action('delete item', 1, AT, (at) => (own, foreign) => {
    const id = pick('invoiceItems', at, own, foreign);
    return {
      method: 'DELETE',
      target: `${items}/${id}`,
      scope: 'invoices:write',
      prediction: own.ledger.deleteItem(id),
    };
  }),
  action(
    'pay',
    10,
    fc.record({ at: AT, amount: fc.oneof(POSITIVE, POSITIVE, fc.constant('all')), external_id: EXTERNAL_ID, how: KEY }),
    ({ at, amount, external_id, how }) =>
      (own, foreign, actor) => {
        const invoice_id = pick('invoices', at, own, foreign);
        const invoice = own.ledger.invoices.get(invoice_id);
        const cents = typeof amount === 'number' ? amount : Math.max(1, invoice ? dueOf(invoice) : 1);
        const body = { invoice_id, amount_cents: cents, external_id };
        const prediction = how === 'none' ? KEYLESS : own.ledger.pay(invoice_id, cents, external_id, actor);
        return {
          method: 'POST',
          target: '/v1/payments',
          body,
          key: pickKey(own, how),
          scope: 'payments:write',
          prediction,
        };
      },
  ),
  action('void', 5, fc.record({ at: AT, reason: TEXT, how: KEY }), ({ at, reason, how }) => (own, foreign, actor) => {
    const id = pick('payments', at, own, foreign);
    const prediction = own.ledger.void(id, reason, actor);
    const target = `/v1/payments/${id}/void`;
    return { method: 'POST', target, body: { reason }, key: pickKey(own, how), scope: 'payments:write', prediction };
  }),
  action('reopen', 4, fc.record({ at: AT, how: KEY }), ({ at, how }) => (own, foreign, actor) => {
    const id = pick('invoices', at, own, foreign);
    const prediction = own.ledger.reopen(id, actor);
    const target = `/v1/invoices/${id}/reopen`;
    return { method: 'POST', target, key: pickKey(own, how), scope: 'invoices:write', prediction };
  }),
  action(
    'refund',
    5,
    fc.record({ at: AT, cents: fc.option(POSITIVE, { nil: undefined }), how: KEY }),
    (given) => (own, foreign, actor) => {
      const payment_id = pick('payments', given.at, own, foreign);
      const body = { payment_id, ...(given.cents !== undefined && { amount_cents: given.cents }) };
      const prediction = given.how === 'none' ? KEYLESS : own.ledger.refund(payment_id, given.cents, actor);
      const key = pickKey(own, given.how);
      return { method: 'POST', target: '/v1/refunds', body, key, scope: 'refunds:write', prediction };
    },
  ),
  action(
    'credit',
    14,
    fc.record({
      at: AT,
      cents: fc.oneof(POSITIVE, fc.constantFrom('due', 'default')),
      reason: TEXT,
      external_id: fc.oneof(fc.constant(null), EXTERNAL_ID),
      series: SERIES,
      how: KEY,
    }),
    ({ at, cents, reason, external_id, series: seriesAt, how }) =>
      (own, foreign) => {
        const invoice_id = pick('invoices', at, own, foreign);
        const invoice = own.ledger.invoices.get(invoice_id);
        const due = Math.max(1, invoice ? dueOf(invoice) : 1);
        const named = { due, default: undefined };
        const amount_cents = typeof cents === 'number' ? cents : named[cents as keyof typeof named];
        const body = withSeries({ invoice_id, reason, external_id, amount_cents }, seriesAt, own, foreign);
        const prediction = how === 'none' ? KEYLESS : own.ledger.credit({ series_id: null, ...body });
        return {
          method: 'POST',
          target: creditNotes,
          body,
          key: pickKey(own, how),
          scope: 'credit-notes:write',
          prediction,
        };
      },
  ),
);
