import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Claims } from '#test/support/service.ts';
import type { Actor, Ledger, Prediction, Terms } from './ledger.ts';

/** A request of one client, and what the ledger says of it. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly body?: object | undefined;
  readonly key?: string | undefined;
  readonly version?: number | undefined;
  readonly scope: string;
  readonly prediction: Prediction;
}

/** A success under a key: what it was, and what the client was told. */
export interface Kept {
  readonly request: Request;
  readonly told: string;
}

/** One account: its ledger, and what its clients remember of their keys. */
export interface Account {
  readonly id: string;
  readonly ledger: Ledger;
  readonly kept: Kept[];
  /** Keys whose requests were refused, so that they may be used again (CONTRACT §8). */
  readonly free: string[];
}

const ALL = 'invoices:write invoices:read payments:write payments:read refunds:write refunds:read';

/** Several subjects and roles of one account, and another account with a subject of the same name. */
export const CLIENTS = {
  ann: { at: 0, claims: { sub: 'ann', role: 'admin' } },
  bea: { at: 0, claims: { sub: 'bea', role: 'accountant' } },
  cid: { at: 0, claims: { sub: 'cid', role: 'clerk' } },
  vic: { at: 0, claims: { sub: 'vic', role: 'viewer' } },
  bot: { at: 0, claims: { sub: 'bot', role: undefined, scope: ALL } },
  'other ann': { at: 1, claims: { sub: 'ann', role: 'admin' } },
} as const satisfies Record<string, { at: 0 | 1; claims: Claims }>;
export type Client = keyof typeof CLIENTS;

/** Which scopes a role lacks (CONTRACT §2). */
export const lacks = ({ role }: Actor, scope: string): boolean =>
  scope.endsWith(':write') && (role === 'viewer' || (role === 'clerk' && scope === 'refunds:write'));

/** Makes a request of what an account holds; `foreign` is the other account, whose ids are nobody's here. */
export type Act = (own: Account, foreign: Account, actor: Actor) => Request;

type Table = 'invoices' | 'items' | 'payments';
/** How far from the newest; the last one stands for a member of the other account. */
const AT = fc.integer({ min: 0, max: 9 });
const FOREIGN = 9;
const pick = (table: Table, at: number, own: Account, foreign: Account): number => {
  // Few, so that requests meet each other there.
  const ids = [...(at === FOREIGN ? foreign : own).ledger[table].keys()];
  return ids.at(-1 - (at % Math.max(1, Math.min(3, ids.length)))) ?? 1;
};

const CENTS = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 }));
const POSITIVE = fc.integer({ min: 1, max: 9 });
const TEXT = fc.constantFrom('a', 'b');
const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> =>
  fc.record(shape, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;

const TERMS = { total_cents: CENTS, currency: fc.constantFrom('USD', 'EUR'), description: fc.option(TEXT) };
const STATUS = fc.constantFrom('draft', 'open', 'open', 'paid', 'canceled');
const NEW = some<Terms>({ ...TERMS, status: fc.constantFrom('draft', 'open', 'open') });
const CHANGE = fc.oneof(
  some<Terms>({ ...TERMS, status: STATUS }),
  some<Omit<Terms, 'status'>>(TERMS),
  fc.record({ status: STATUS }),
  fc.record({ total_cents: CENTS }),
);
/** Whether the client names the version that it changes: the present one, one that was, or none. */
const MATCH = fc.constantFrom('none', 'present', 'present', 'past');
const LINE = { description: TEXT, quantity: fc.integer({ min: 1, max: 3 }), unit_amount_cents: fc.nat(4) };
/** Whether the client takes a new key, one that was refused before (§8: it may be used again), or none. */
const KEY = fc.constantFrom('new', 'new', 'refused', 'none');

const versioned = (member: { version: number } | undefined, match: string): { version?: number } => {
  if (match === 'none' || !member) return {};
  return { version: match === 'past' ? member.version - 1 : member.version };
};
const KEYLESS: Prediction = { refused: ['400 idempotency-key-required'] };
const keyed = ({ free }: Account, how: string): string | undefined =>
  how === 'none' ? undefined : (how === 'refused' && free.pop()) || randomUUID();

/** Every act with its arguments, as a text and as a function of the accounts. */
const act = <A>(name: string, weight: number, args: fc.Arbitrary<A>, make: (args: A) => Act) => ({
  weight,
  arbitrary: args.map((given) => ({ text: `${name} ${JSON.stringify(given)}`, act: make(given) })),
});

const invoices = '/v1/invoices';
const items = '/v1/invoice-items';

/** What an account begins with: an invoice to pay and one to itemize. */
export const BEGINNING: readonly Act[] = [20, 0].map((total_cents) => ({ ledger }) => {
  const body = { total_cents };
  const prediction = ledger.issue(body);
  return { method: 'POST', target: invoices, body, key: randomUUID(), scope: 'invoices:write', prediction };
});

export const ACTS = fc.oneof(
  act('issue', 4, fc.record({ body: NEW, how: KEY }), ({ body, how }) => (own) => {
    const prediction = own.ledger.issue(body);
    return { method: 'POST', target: invoices, body, key: keyed(own, how), scope: 'invoices:write', prediction };
  }),
  ...(['PATCH', 'PUT'] as const).map((method) =>
    act(
      method,
      method === 'PUT' ? 2 : 5,
      fc.record({ at: AT, body: CHANGE, match: MATCH }),
      (given) => (own, foreign, actor) => {
        const id = pick('invoices', given.at, own, foreign);
        const match = versioned(own.ledger.invoices.get(id), given.match);
        const prediction = own.ledger.revise(id, method, given.body, actor, match.version);
        return { method, target: `${invoices}/${id}`, body: given.body, ...match, scope: 'invoices:write', prediction };
      },
    ),
  ),
  act(
    'cancel',
    2,
    fc.record({ at: AT, match: MATCH, keyed: fc.boolean() }),
    ({ at, match, keyed }) =>
      (own, foreign) => {
        const id = pick('invoices', at, own, foreign);
        const { version } = versioned(own.ledger.invoices.get(id), match);
        const key = keyed ? randomUUID() : undefined;
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
  act('delete', 1, fc.record({ at: AT, match: MATCH }), ({ at, match }) => (own, foreign) => {
    const id = pick('invoices', at, own, foreign);
    const { version } = versioned(own.ledger.invoices.get(id), match);
    const prediction = own.ledger.delete(id, version);
    return { method: 'DELETE', target: `${invoices}/${id}`, version, scope: 'invoices:write', prediction };
  }),
  act('add item', 7, fc.record({ at: AT, line: fc.record(LINE), how: KEY }), ({ at, line, how }) => (own, foreign) => {
    const invoice_id = pick('invoices', at, own, foreign);
    const prediction = own.ledger.addItem(invoice_id, line);
    const body = { invoice_id, ...line };
    return { method: 'POST', target: items, body, key: keyed(own, how), scope: 'invoices:write', prediction };
  }),
  act(
    'patch item',
    3,
    fc.record({ at: AT, body: some(LINE), match: MATCH }),
    ({ at, body, match }) =>
      (own, foreign) => {
        const id = pick('items', at, own, foreign);
        const { version } = versioned(own.ledger.items.get(id), match);
        const prediction = own.ledger.reviseItem(id, body, version);
        return { method: 'PATCH', target: `${items}/${id}`, body, version, scope: 'invoices:write', prediction };
      },
  ),
  act('delete item', 1, AT, (at) => (own, foreign) => {
    const id = pick('items', at, own, foreign);
    return {
      method: 'DELETE',
      target: `${items}/${id}`,
      scope: 'invoices:write',
      prediction: own.ledger.deleteItem(id),
    };
  }),
  act(
    'pay',
    10,
    fc.record({ at: AT, amount: fc.oneof(POSITIVE, POSITIVE, fc.constant('all')), how: KEY }),
    ({ at, amount, how }) =>
      (own, foreign, actor) => {
        const invoice_id = pick('invoices', at, own, foreign);
        const { total_cents = 1, amount_paid_cents = 0 } = own.ledger.invoices.get(invoice_id) ?? {};
        const cents = typeof amount === 'number' ? amount : Math.max(1, total_cents - amount_paid_cents);
        const body = { invoice_id, amount_cents: cents };
        const prediction = how === 'none' ? KEYLESS : own.ledger.pay(invoice_id, cents, actor);
        return {
          method: 'POST',
          target: '/v1/payments',
          body,
          key: keyed(own, how),
          scope: 'payments:write',
          prediction,
        };
      },
  ),
  act(
    'refund',
    5,
    fc.record({ at: AT, cents: fc.option(POSITIVE, { nil: undefined }), how: KEY }),
    (given) => (own, foreign, actor) => {
      const payment_id = pick('payments', given.at, own, foreign);
      const body = { payment_id, ...(given.cents !== undefined && { amount_cents: given.cents }) };
      const prediction = given.how === 'none' ? KEYLESS : own.ledger.refund(payment_id, given.cents, actor);
      const key = keyed(own, given.how);
      return { method: 'POST', target: '/v1/refunds', body, key, scope: 'refunds:write', prediction };
    },
  ),
);
