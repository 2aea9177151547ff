import type { Model, Step } from './search.ts';

/*
 * A model of the protocol of shared/platform/http/pipeline/execute.ts and shared/platform/data/commit.ts, for attempts at
 * one payment with one key: read, decide, then one transaction of the record (if absent) and the effect (if the version
 * is the one that was read).
 *
 *   the record exists       replay it
 *   the version is stale    run the handler again
 *   the handler rejects     look for a record first
 *
 * One step is: a read and the sending of the transaction, which no other client can observe; or the arrival of the
 * transaction and of its response. A crash between these two is a lost response. A transaction may arrive at any time
 * and any number of times (the SDK and the commit retry it with the same token), also after the end of its sender, or
 * never. A crash represents every end without a response, including a 503.
 */

type Reply =
  | { readonly success: string }
  | { readonly refusal: 'amount-exceeds-due' | 'idempotency-key-reused'; readonly recorded: boolean };

/** One request of the client, and the Lambda that serves it. */
interface Attempt {
  readonly body: string;
  readonly at: 'start' | 'waiting' | 'rejecting' | 'answered' | 'crashed';
  /** The number of runs of the handler. With the attempt's number it is the token of the transaction. */
  readonly run: number;
  /** The state from which the current transaction was computed, once it was sent. */
  readonly sent: Pick<State, 'version' | 'due'> | undefined;
  readonly reply?: Reply;
}

/** The tables, and the progress of each attempt. */
export interface State {
  /** The invoice: its version, and the number of payments that it still accepts. */
  readonly version: number;
  readonly due: number;
  readonly record: { readonly success: string; readonly body: string } | undefined;
  /** The tokens of the committed effects, in order. */
  readonly effects: readonly string[];
  /** The remaining actions of another client, with another key, and the number of its payments. */
  readonly rivals: readonly string[];
  readonly rivalPayments: number;
  readonly attempts: readonly Attempt[];
}

/** The safeguards of the protocol. Without any one of them an invariant breaks. */
export interface Safeguards {
  readonly recordIfAbsent: boolean;
  readonly effectIfVersion: boolean;
  readonly lookUpBeforeRefusing: boolean;
}

const ALL_SAFEGUARDS: Safeguards = { recordIfAbsent: true, effectIfVersion: true, lookUpBeforeRefusing: true };

/** More steps than an attempt needs without interference. */
const MAX_STEPS = 4;

const start = (body: string): Attempt => ({ body, at: 'start', run: 0, sent: undefined });

/**
 * @param bodies the body of each attempt; all have the same key
 * @param due number of payments that the invoice accepts
 */
export const protocol = (bodies: readonly string[], due: number, without: Partial<Safeguards> = {}): Model<State> => {
  const rules = { ...ALL_SAFEGUARDS, ...without };
  const attempts = bodies.map(start);
  const world = { version: 0, due, record: undefined, effects: [], rivals: ['pays', 'edits'], rivalPayments: 0 };
  return {
    initial: { ...world, attempts },
    key,
    steps: (state) => [
      ...state.attempts.flatMap((_, i) => [...progress(state, i, rules), ...faults(state, i, rules)]),
      ...rivals(state),
    ],
    broken: (state) => broken(state, due) ?? stuck(state, rules),
  };
};

const put = (state: State, i: number, attempt: Partial<Attempt>): State => ({
  ...state,
  attempts: state.attempts.map((old, j) => (i === j ? { ...old, ...attempt } : old)),
});
const of = (state: State, i: number): Attempt => state.attempts[i] as Attempt;
const answer = (state: State, i: number, reply: Reply): State => put(state, i, { at: 'answered', reply });

/** The same body gets the recorded response, another body gets `idempotency-key-reused`. */
const replay = (state: State, i: number, { success, body }: NonNullable<State['record']>): State =>
  answer(state, i, body === of(state, i).body ? { success } : { refusal: 'idempotency-key-reused', recorded: true });

/** The next step of an attempt without faults. */
const progress = (state: State, i: number, rules: Safeguards): Step<State>[] => {
  const { at } = of(state, i);
  if (at === 'start') return [read(state, i)];
  if (at === 'rejecting') return [reject(state, i, rules)];
  if (at !== 'waiting') return [];
  const { to, outcome } = arrive(state, i, rules);
  return [{ does: `attempt ${i + 1}'s transaction: ${outcome}`, to: receive(to, i, outcome) }];
};

const read = (state: State, i: number): Step<State> => {
  const { version, due } = state;
  if (due === 0) return { does: `attempt ${i + 1} reads that nothing is due`, to: put(state, i, { at: 'rejecting' }) };
  const to = put(state, i, { at: 'waiting', run: of(state, i).run + 1, sent: { version, due } });
  return { does: `attempt ${i + 1} reads version ${version} and sends its transaction`, to };
};

const reject = (state: State, i: number, { lookUpBeforeRefusing }: Safeguards): Step<State> => {
  const { record } = state;
  if (record && lookUpBeforeRefusing) {
    return { does: `attempt ${i + 1} finds the record and replays it`, to: replay(state, i, record) };
  }
  const reply = { refusal: 'amount-exceeds-due', recorded: record !== undefined } as const;
  return { does: `attempt ${i + 1} rejects the payment`, to: answer(state, i, reply) };
};

type Outcome = 'committed' | 'the record exists' | 'the version is stale';

const tokenOf = (state: State, i: number): string => `attempt ${i + 1}, run ${of(state, i).run}`;

/** The arrival of an attempt's transaction, which is atomic. */
const arrive = (state: State, i: number, rules: Safeguards): { to: State; outcome: Outcome } => {
  const { body, sent = state } = of(state, i);
  const success = tokenOf(state, i);
  // DynamoDB recognizes the token for ten minutes; after that, the record has the transaction's own write_id.
  if (state.record?.success === success) return { to: state, outcome: 'committed' };
  if (state.record && rules.recordIfAbsent) return { to: state, outcome: 'the record exists' };
  if (sent.version !== state.version && rules.effectIfVersion) return { to: state, outcome: 'the version is stale' };
  const effects = [...state.effects, success];
  const to = { ...state, version: sent.version + 1, due: sent.due - 1, effects, record: { success, body } };
  return { to, outcome: 'committed' };
};

const receive = (state: State, i: number, outcome: Outcome): State => {
  if (outcome === 'the version is stale') return put(state, i, { at: 'start', sent: undefined });
  if (outcome === 'the record exists' && state.record) return replay(state, i, state.record);
  return answer(state, i, { success: tokenOf(state, i) });
};

/** The faults: a transaction arrives without a response, late or again; an attempt ends without a response. */
const faults = (state: State, i: number, rules: Safeguards): Step<State>[] => {
  const { at, sent } = of(state, i);
  const lost = sent === undefined ? undefined : arrive(state, i, rules);
  return [
    ...(lost ? [{ does: `attempt ${i + 1}'s transaction, response lost: ${lost.outcome}`, to: lost.to }] : []),
    ...(at === 'answered' || at === 'crashed'
      ? []
      : [{ does: `attempt ${i + 1} crashes`, to: put(state, i, { at: 'crashed' }) }]),
  ];
};

/** The steps of another client. Its commits are atomic, too. */
const rivals = (state: State): Step<State>[] =>
  state.rivals
    .filter((act) => act === 'edits' || state.due > 0)
    .map((act) => {
      const left = { rivals: state.rivals.filter((other) => other !== act), version: state.version + 1 };
      const paid = act === 'pays' ? { due: state.due - 1, rivalPayments: 1 } : {};
      return { does: `another client ${act} the invoice`, to: { ...state, ...left, ...paid } };
    });

const broken = ({ effects, attempts, rivalPayments, ...state }: State, due: number): string | undefined => {
  if (effects.length > 1) return 'there is at most one effect';
  if (state.due !== due - effects.length - rivalPayments) return 'the amount due agrees with the payments';
  const replies = attempts.flatMap(({ reply }) => reply ?? []);
  if (replies.some((reply) => 'success' in reply && reply.success !== effects[0])) return EQUAL;
  const refusals = replies.filter((reply) => 'refusal' in reply && reply.refusal === 'amount-exceeds-due');
  return refusals.some((reply) => 'recorded' in reply && reply.recorded) ? EQUAL : undefined;
};

const EQUAL = 'every reply to the key equals the first committed reply';

/** The invariant that breaks if one more attempt, without faults, gets no response. */
const stuck = (state: State, rules: Safeguards): string | undefined => {
  const i = state.attempts.length;
  let alone: State = { ...state, attempts: [...state.attempts, start(state.record?.body ?? 'A')] };
  for (let left = MAX_STEPS; left > 0; left--) alone = progress(alone, i, rules)[0]?.to ?? alone;
  return of(alone, i).at === 'answered' ? undefined : 'a retry can always finish';
};

/** Attempts with the same body are interchangeable, so their order does not distinguish states. */
const key = ({ version, due, rivals, record, effects, attempts }: State): string => {
  const one = ({ body, at, sent, reply, run }: Attempt, i: number) => {
    const result = reply && ('success' in reply ? reply.success === effects[0] : `${reply.refusal} ${reply.recorded}`);
    return `${body} ${at} ${sent?.version} ${sent?.due} ${result} ${record?.success === `attempt ${i + 1}, run ${run}`}`;
  };
  return [version, due, rivals, effects.length, record?.body, ...attempts.map(one).sort()].join('|');
};
