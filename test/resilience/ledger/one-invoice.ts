import { isDeepStrictEqual } from 'node:util';
import type { Answer, Client } from '#test/support/service/client.ts';

/** One invoice (CONTRACT §4), its first payment and the refunds of that payment. */
export interface State {
  readonly status: string;
  readonly settlement: 'payments' | 'external' | null;
  readonly total: number;
  readonly paid: number;
  readonly credited: number;
  readonly description: string | null;
  readonly version: number;
  /** The amount of the payment sent before the history begins; 0 without a payment. */
  readonly first: number;
  readonly refunded: number;
  readonly voided: boolean;
}

export type Input =
  | { readonly kind: 'pay' | 'refund' | 'credit'; readonly amount: number }
  | Patch
  | { readonly kind: 'cancel' | 'reopen' | 'void' | 'get' | 'get payment' };
export type Patch = { readonly kind: 'patch'; readonly change: Change; readonly version?: number };
type Change = { readonly total_cents?: number; readonly description?: string; readonly status?: string };

/** The observation of a client: a status or the code of a problem, and the values of the response. */
export interface Output {
  readonly code: string;
  readonly values?: readonly (string | number | boolean | null)[];
}

export const initialState = (total: number, first: number): State => ({
  ...{ status: 'open', settlement: null, total, paid: first, credited: 0, description: null },
  ...{ version: first > 0 ? 2 : 1, first, refunded: 0, voided: false },
});

type Result = { readonly state: State; readonly output: Output };

const observe = (state: State): Result => {
  const { status, settlement, total, paid, credited, description, version } = state;
  const values = [status, settlement, total, paid, credited, description, `"${version}"`];
  return { state, output: { code: '200', values } };
};
const observePayment = (state: State): Result => {
  const { first, refunded, voided } = state;
  return { state, output: { code: '200', values: [first, refunded, voided] } };
};
const refuse = (state: State, code: string): Result => ({ state, output: { code } });

/** The sequential specification of requests on one invoice. */
export const specification = (state: State, input: Input): Result => {
  const { status, settlement, total, paid, credited, first, refunded, voided, version } = state;
  if (input.kind === 'get') return observe(state);
  if (input.kind === 'get payment') return observePayment(state);
  if (input.kind === 'refund') {
    if (voided) return refuse(state, 'payment-voided');
    if (input.amount > first - refunded) return refuse(state, 'amount-exceeds-refundable');
    return { state: { ...state, refunded: refunded + input.amount }, output: { code: '201' } };
  }
  if (input.kind === 'pay') {
    if (status !== 'open') return refuse(state, 'invoice-not-payable');
    if (input.amount > total - paid - credited) return refuse(state, 'amount-exceeds-due');
    return { state: applyChange(state, { paid: paid + input.amount }), output: { code: '201' } };
  }
  if (input.kind === 'credit') {
    if (status === 'canceled') return refuse(state, 'invoice-not-creditable');
    if (input.amount > total - credited) return refuse(state, 'amount-exceeds-creditable');
    const applied = status === 'paid' ? 0 : Math.min(input.amount, total - paid - credited);
    const after = applyChange(state, { credited: credited + input.amount });
    return { state: after, output: { code: '201', values: [applied, input.amount - applied] } };
  }
  if (input.kind === 'void') {
    if (voided) return observePayment(state);
    if (refunded > 0) return refuse(state, 'payment-has-refunds');
    const reopened = settlement === 'payments' && { status: 'open', settlement: null };
    return observePayment(applyChange(state, { voided: true, paid: paid - first, ...reopened }));
  }
  if (input.kind === 'reopen') {
    if (status === 'open') return observe(state);
    if (settlement !== 'external' || paid + credited >= total) return refuse(state, 'invoice-not-reopenable');
    return observe(applyChange(state, { status: 'open', settlement: null }));
  }
  if (input.kind === 'cancel') {
    if (status === 'canceled') return observe(state);
    if (status === 'paid' || paid > 0 || credited > 0) return refuse(state, 'invoice-not-cancelable');
    return observe(applyChange(state, { status: 'canceled' }));
  }
  const patch = input as Patch;
  if (patch.version !== undefined && patch.version !== version) return refuse(state, 'precondition-failed');
  return applyPatch(state, patch.change);
};

const applyPatch = (
  state: State,
  { status = state.status, total_cents = state.total, description }: Change,
): Result => {
  const change = { status, total: total_cents, description: description ?? state.description };
  if (isDeepStrictEqual({ ...state, ...change }, state)) return observe(state);
  if (status !== state.status && `${state.status}>${status}` !== 'open>paid')
    return refuse(state, 'invalid-transition');
  if (state.status !== 'open') return refuse(state, 'invoice-closed');
  if (total_cents < state.paid + state.credited) return refuse(state, 'total-below-paid');
  return observe(applyChange(state, change));
};

/** Nothing due: an open invoice is paid, or canceled without payments. Totals in histories are above 0. */
const applyChange = (before: State, change: Partial<State>): State => {
  const state = { ...before, ...change, version: before.version + 1 };
  const { paid, credited, total, settlement } = state;
  const isCovered = paid + credited >= total;
  const covered = paid > 0 ? 'paid' : 'canceled';
  const status = state.status === 'open' && isCovered ? covered : state.status;
  if (status !== 'paid') return { ...state, status };
  return { ...state, status, settlement: settlement ?? (isCovered && paid > 0 ? 'payments' : 'external') };
};

export const isEqual = (expected: Output, actual: Output): boolean => isDeepStrictEqual(expected, actual);

/** Sends requests on one invoice and its first payment. */
export const createSender = ({ send }: Pick<Client, 'send'>, id: number, payment_id: number) => {
  const invoice = `/v1/invoices/${id}`;
  const payment = `/v1/payments/${payment_id}`;
  return (input: Input, key: string): Promise<Answer> => {
    const post = (target: string, body?: object) =>
      send(target, { method: 'POST', ...(body && { body }), headers: { 'idempotency-key': key } });
    if (input.kind === 'pay') return post('/v1/payments', { invoice_id: id, amount_cents: input.amount });
    if (input.kind === 'credit') return post('/v1/credit-notes', { invoice_id: id, amount_cents: input.amount });
    if (input.kind === 'refund') return post('/v1/refunds', { payment_id, amount_cents: input.amount });
    if (input.kind === 'void') return post(`${payment}/void`);
    if (input.kind === 'get') return send(invoice);
    if (input.kind === 'get payment') return send(payment);
    if (input.kind === 'cancel' || input.kind === 'reopen') return post(`${invoice}/${input.kind}`);
    const { change, version } = input as Patch;
    const headers = { 'if-match': version === undefined ? undefined : `"${version}"` };
    return send(invoice, { method: 'PATCH', body: change, headers });
  };
};

/** Whether a request is sent with its key, so that a client may repeat it. */
export const hasKey = ({ kind }: Input): boolean => !['patch', 'get', 'get payment'].includes(kind);

/** @returns undefined for a response that does not tell the outcome */
export const outputOf = ({ kind }: Input, { status, json, headers }: Answer): Output | undefined => {
  if (status >= 500 || json.code === 'request-in-progress') return undefined;
  if (status >= 400) return { code: json.code };
  const code = String(status);
  if (kind === 'credit') return { code, values: [json.applied_cents, json.refundable_cents] };
  if (status === 201) return { code };
  if (kind === 'void' || kind === 'get payment')
    return { code, values: [json.amount_cents, json.amount_refunded_cents, json.status === 'voided'] };
  const { settlement, total_cents, amount_paid_cents, amount_credited_cents, description } = json;
  const sums = [total_cents, amount_paid_cents, amount_credited_cents];
  return { code, values: [json.status, settlement, ...sums, description, headers['etag'] as string] };
};
