import { isDeepStrictEqual } from 'node:util';

/** One invoice (CONTRACT §4), its first payment and the refunds of that payment. */
export interface State {
  readonly status: string;
  readonly total: number;
  readonly paid: number;
  readonly description: string | null;
  readonly version: number;
  /** The amount of the payment sent before the history begins; 0 without a payment. */
  readonly first: number;
  readonly refunded: number;
}

export type Input =
  | { readonly kind: 'pay'; readonly amount: number }
  | { readonly kind: 'refund'; readonly amount: number }
  | Patch
  | { readonly kind: 'cancel' | 'get' | 'get payment' };
export type Patch = { readonly kind: 'patch'; readonly change: Change; readonly version?: number };
type Change = { readonly total_cents?: number; readonly description?: string; readonly status?: string };

/** The observation of a client: a status or the code of a problem, and the values of the invoice or the payment. */
export interface Output {
  readonly code: string;
  readonly values?: readonly (string | number | null)[];
}

export const initialState = (total: number, first: number): State => ({
  ...{ status: 'open', total, paid: first, description: null },
  ...{ version: first > 0 ? 2 : 1, first, refunded: 0 },
});

const observe = (state: State): Output => {
  const { status, total, paid, description, version } = state;
  return { code: '200', values: [status, total, paid, description, `"${version}"`] };
};
const refuse = (state: State, code: string) => ({ state, output: { code } });

/** The sequential specification of requests on one invoice. */
export const specification = (state: State, input: Input): { state: State; output: Output } => {
  const { status, total, paid, first, refunded, version } = state;
  if (input.kind === 'get') return { state, output: observe(state) };
  if (input.kind === 'get payment') return { state, output: { code: '200', values: [first, refunded] } };
  if (input.kind === 'refund') {
    if (input.amount > first - refunded) return refuse(state, 'amount-exceeds-refundable');
    return { state: { ...state, refunded: refunded + input.amount }, output: { code: '201' } };
  }
  if (input.kind === 'pay') {
    if (status !== 'open') return refuse(state, 'invoice-not-payable');
    if (input.amount > total - paid) return refuse(state, 'amount-exceeds-due');
    return { state: applyChange(state, { paid: paid + input.amount }), output: { code: '201' } };
  }
  if (input.kind === 'cancel') {
    if (status === 'canceled') return { state, output: observe(state) };
    if (status === 'paid' || paid > 0) return refuse(state, 'invoice-not-cancelable');
    const canceled = applyChange(state, { status: 'canceled' });
    return { state: canceled, output: observe(canceled) };
  }
  const patch = input as Patch;
  if (patch.version !== undefined && patch.version !== version) return refuse(state, 'precondition-failed');
  return applyPatch(state, patch.change);
};

const applyPatch = (state: State, { status = state.status, total_cents = state.total, description }: Change) => {
  const change = { status, total: total_cents, description: description ?? state.description };
  if (isDeepStrictEqual({ ...state, ...change }, state)) return { state, output: observe(state) };
  if (status !== state.status && `${state.status}>${status}` !== 'open>paid')
    return refuse(state, 'invalid-transition');
  if (state.status !== 'open') return refuse(state, 'invoice-closed');
  if (total_cents < state.paid) return refuse(state, 'total-below-paid');
  const after = applyChange(state, change);
  return { state: after, output: observe(after) };
};

const applyChange = (state: State, change: Partial<State>): State => {
  const after = { ...state, ...change, version: state.version + 1 };
  return after.paid > 0 && after.paid === after.total ? { ...after, status: 'paid' } : after;
};

export const isEqual = (expected: Output, actual: Output): boolean => isDeepStrictEqual(expected, actual);
