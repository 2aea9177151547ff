import type { Model, Step } from './search.ts';

/*
 * The protocol of shared/platform/http/pipeline/execute.ts and shared/platform/data/commit.ts, for attempts at one payment under one key: read,
 * decide, then one transaction of the record (if there is none) and the effect (if the version is the one read).
 * Where a record exists, it answers; where the version has moved, the handler runs again; where the state makes the
 * handler refuse, a record is looked for first.
 *
 * What is one step here. A read and the sending of what was decided on it: nobody sees the sending. The arrival of a
 * message and the hearing of its answer: a crash between the two is a lost answer. A message that was sent may arrive
 * at any time and any number of times (the SDK and the commit send it again, with the same token), also after its
 * sender's end, or never. A crash stands for every end without an answer, a 503 among them.
 */

type Reply =
  | { readonly success: string }
  | { readonly refusal: 'amount-exceeds-due' | 'idempotency-key-reused'; readonly recorded: boolean };

/** One try of the client, as the Lambda that serves it. */
interface Attempt {
  readonly body: string;
  readonly at: 'start' | 'waiting' | 'refusing' | 'answered' | 'crashed';
  /** How often the handler has run; with the attempt's number it is the token of what was sent. */
  readonly run: number;
  /** What the present message was computed from, once it has been sent. */
  readonly sent: Pick<State, 'version' | 'due'> | undefined;
  readonly reply?: Reply;
}

/** All that matters at one moment: the tables, and how far each attempt is. */
export interface State {
  /** The invoice: its version, and how many more payments it takes. */
  readonly version: number;
  readonly due: number;
  readonly record: { readonly success: string; readonly body: string } | undefined;
  /** The answers that tell of the effects under the key, in the order of their commits. */
  readonly effects: readonly string[];
  /** What another client, under another key, may still do to the invoice, and what it has paid. */
  readonly rivals: readonly string[];
  readonly rivalPayments: number;
  readonly attempts: readonly Attempt[];
}

/** What the protocol is made of: without any one of them it breaks. */
export interface Safeguards {
  readonly recordIfAbsent: boolean;
  readonly effectIfVersion: boolean;
  readonly lookUpBeforeRefusing: boolean;
}

const DESIGN: Safeguards = { recordIfAbsent: true, effectIfVersion: true, lookUpBeforeRefusing: true };

/** More than an attempt takes that nobody disturbs. */
const MAX_STEPS = 4;

const start = (body: string): Attempt => ({ body, at: 'start', run: 0, sent: undefined });

/**
 * Attempts under one key, each with its body, while another client edits and pays the same invoice.
 * @param due how many payments the invoice takes
 */
export const protocol = (bodies: readonly string[], due: number, without: Partial<Safeguards> = {}): Model<State> => {
  const rules = { ...DESIGN, ...without };
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

/** The record answers: with itself to the same body, with a refusal to another. */
const replay = (state: State, i: number, { success, body }: NonNullable<State['record']>): State =>
  answer(state, i, body === of(state, i).body ? { success } : { refusal: 'idempotency-key-reused', recorded: true });

/** What an attempt does while nothing goes wrong. */
const progress = (state: State, i: number, rules: Safeguards): Step<State>[] => {
  const { at } = of(state, i);
  if (at === 'start') return [read(state, i)];
  if (at === 'refusing') return [refuse(state, i, rules)];
  if (at !== 'waiting') return [];
  const { to, outcome } = arrive(state, i, rules);
  return [{ does: `attempt ${i + 1}'s transaction: ${outcome}`, to: hear(to, i, outcome) }];
};

const read = (state: State, i: number): Step<State> => {
  const { version, due } = state;
  if (due === 0) return { does: `attempt ${i + 1} reads that nothing is due`, to: put(state, i, { at: 'refusing' }) };
  const to = put(state, i, { at: 'waiting', run: of(state, i).run + 1, sent: { version, due } });
  return { does: `attempt ${i + 1} reads version ${version} and sends its transaction`, to };
};

const refuse = (state: State, i: number, { lookUpBeforeRefusing }: Safeguards): Step<State> => {
  const { record } = state;
  if (record && lookUpBeforeRefusing) {
    return { does: `attempt ${i + 1} looks for a record, which answers`, to: replay(state, i, record) };
  }
  const reply = { refusal: 'amount-exceeds-due', recorded: record !== undefined } as const;
  return { does: `attempt ${i + 1} refuses the payment`, to: answer(state, i, reply) };
};

type Outcome = 'committed' | 'the record exists' | 'the version is stale';

const tokenOf = (state: State, i: number): string => `attempt ${i + 1}, run ${of(state, i).run}`;

/** The transaction of an attempt's message: all of it or nothing. */
const arrive = (state: State, i: number, rules: Safeguards): { to: State; outcome: Outcome } => {
  const { body, sent = state } = of(state, i);
  const success = tokenOf(state, i);
  // DynamoDB remembers the token; and once it does not, the record there carries the message's own write_id.
  if (state.record?.success === success) return { to: state, outcome: 'committed' };
  if (state.record && rules.recordIfAbsent) return { to: state, outcome: 'the record exists' };
  if (sent.version !== state.version && rules.effectIfVersion) return { to: state, outcome: 'the version is stale' };
  const effects = [...state.effects, success];
  const to = { ...state, version: sent.version + 1, due: sent.due - 1, effects, record: { success, body } };
  return { to, outcome: 'committed' };
};

const hear = (state: State, i: number, outcome: Outcome): State => {
  if (outcome === 'the version is stale') return put(state, i, { at: 'start', sent: undefined });
  if (outcome === 'the record exists' && state.record) return replay(state, i, state.record);
  return answer(state, i, { success: tokenOf(state, i) });
};

/** What goes wrong: a message arrives unheard, early, late or again; an attempt ends without an answer. */
const faults = (state: State, i: number, rules: Safeguards): Step<State>[] => {
  const { at, sent } = of(state, i);
  const unheard = sent === undefined ? undefined : arrive(state, i, rules);
  return [
    ...(unheard ? [{ does: `attempt ${i + 1}'s transaction, unheard: ${unheard.outcome}`, to: unheard.to }] : []),
    ...(at === 'answered' || at === 'crashed'
      ? []
      : [{ does: `attempt ${i + 1} crashes`, to: put(state, i, { at: 'crashed' }) }]),
  ];
};

/** Another client, whose own commits are as atomic. */
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
  if (state.due !== due - effects.length - rivalPayments) return 'what is due agrees with the payments';
  const replies = attempts.flatMap(({ reply }) => reply ?? []);
  if (replies.some((reply) => 'success' in reply && reply.success !== effects[0])) return EQUAL;
  const refusals = replies.filter((reply) => 'refusal' in reply && reply.refusal === 'amount-exceeds-due');
  return refusals.some((reply) => 'recorded' in reply && reply.recorded) ? EQUAL : undefined;
};

const EQUAL = 'every reply to the key equals the first committed reply';

/** Whether a client that tries once more, now and without faults, gets no answer. */
const stuck = (state: State, rules: Safeguards): string | undefined => {
  const i = state.attempts.length;
  let alone: State = { ...state, attempts: [...state.attempts, start(state.record?.body ?? 'A')] };
  for (let left = MAX_STEPS; left > 0; left--) alone = progress(alone, i, rules)[0]?.to ?? alone;
  return of(alone, i).at === 'answered' ? undefined : 'whatever has happened, a retry can finish';
};

/** Attempts with one body are alike, so that which of them is where does not tell states apart. */
const key = ({ version, due, rivals, record, effects, attempts }: State): string => {
  const one = ({ body, at, sent, reply, run }: Attempt, i: number) => {
    const told = reply && ('success' in reply ? reply.success === effects[0] : `${reply.refusal} ${reply.recorded}`);
    return `${body} ${at} ${sent?.version} ${sent?.due} ${told} ${record?.success === `attempt ${i + 1}, run ${run}`}`;
  };
  return [version, due, rivals, effects.length, record?.body, ...attempts.map(one).sort()].join('|');
};
