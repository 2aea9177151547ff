import { isDeepStrictEqual } from 'node:util';

/** One invoice, as the contract has it (CONTRACT §4), and how much of its payments went back. */
export interface State {
  readonly status: string;
  readonly total: number;
  readonly paid: number;
  readonly description: string | null;
  readonly version: number;
  /** The first payment, made before the history begins; 0 where there was none. */
  readonly first: number;
  readonly refunded: number;
}

export type Ask =
  | { readonly does: 'pay'; readonly amount: number }
  | { readonly does: 'refund'; readonly amount: number }
  | Patch
  | { readonly does: 'cancel' | 'get' | 'get payment' };
export type Patch = { readonly does: 'patch'; readonly change: Change; readonly version?: number };
type Change = { readonly total_cents?: number; readonly description?: string; readonly status?: string };

/** What a client was told: a status or a refusal's code, and what it then saw of the invoice or the payment. */
export interface Got {
  readonly told: string;
  readonly sees?: readonly (string | number | null)[];
}

export const opened = (total: number, first: number): State => ({
  ...{ status: 'open', total, paid: first, description: null },
  ...{ version: first > 0 ? 2 : 1, first, refunded: 0 },
});

const seen = (state: State): Got => {
  const { status, total, paid, description, version } = state;
  return { told: '200', sees: [status, total, paid, description, `"${version}"`] };
};
const no = (state: State, told: string) => ({ state, got: { told } });

/** One request at a time on one invoice. */
export const specification = (state: State, ask: Ask): { state: State; got: Got } => {
  const { status, total, paid, first, refunded, version } = state;
  if (ask.does === 'get') return { state, got: seen(state) };
  if (ask.does === 'get payment') return { state, got: { told: '200', sees: [first, refunded] } };
  if (ask.does === 'refund') {
    if (ask.amount > first - refunded) return no(state, 'amount-exceeds-refundable');
    return { state: { ...state, refunded: refunded + ask.amount }, got: { told: '201' } };
  }
  if (ask.does === 'pay') {
    if (status !== 'open') return no(state, 'invoice-not-payable');
    if (ask.amount > total - paid) return no(state, 'amount-exceeds-due');
    return { state: written(state, { paid: paid + ask.amount }), got: { told: '201' } };
  }
  if (ask.does === 'cancel') {
    if (status === 'canceled') return { state, got: seen(state) };
    if (status === 'paid' || paid > 0) return no(state, 'invoice-not-cancelable');
    const canceled = written(state, { status: 'canceled' });
    return { state: canceled, got: seen(canceled) };
  }
  const patch = ask as Patch;
  if (patch.version !== undefined && patch.version !== version) return no(state, 'precondition-failed');
  return patched(state, patch.change);
};

const patched = (state: State, { status = state.status, total_cents = state.total, description }: Change) => {
  const change = { status, total: total_cents, description: description ?? state.description };
  if (isDeepStrictEqual({ ...state, ...change }, state)) return { state, got: seen(state) };
  if (status !== state.status && `${state.status}>${status}` !== 'open>paid') return no(state, 'invalid-transition');
  if (state.status !== 'open') return no(state, 'invoice-closed');
  if (total_cents < state.paid) return no(state, 'total-below-paid');
  const after = written(state, change);
  return { state: after, got: seen(after) };
};

const written = (state: State, change: Partial<State>): State => {
  const after = { ...state, ...change, version: state.version + 1 };
  return after.paid > 0 && after.paid === after.total ? { ...after, status: 'paid' } : after;
};

export const agrees = (specified: Got, got: Got): boolean => isDeepStrictEqual(specified, got);
