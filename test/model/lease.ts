import type { Model, Step } from './search.ts';

/*
 * A model of the other common protocol, for comparison. It has three writes: an in-progress record with a lease, the
 * effect, the completed record. It has advantages: no response is lost, the effect depends on the version that was read,
 * and only the holder of the lease completes the record. Another attempt may take over an expired lease; otherwise a
 * crash would block the key permanently.
 */

interface Attempt {
  readonly at: 'start' | 'holding' | 'deciding' | 'completing' | 'answered' | 'crashed';
  readonly version?: number;
}

interface State {
  readonly version: number;
  readonly effects: readonly string[];
  readonly record?: { readonly holder: number; readonly leased: boolean; readonly completed: boolean };
  readonly attempts: readonly Attempt[];
}

/**
 * @param attempts number of attempts with one key
 * @param leases whether a lease may expire while its holder is only slow, or only after its holder has crashed
 */
export const lease = (attempts: number, leases: 'may expire early' | 'expire after a crash'): Model<State> => ({
  initial: { version: 0, effects: [], attempts: Array.from({ length: attempts }, () => ({ at: 'start' })) },
  key: JSON.stringify,
  steps: (state) => [...state.attempts.flatMap((_, i) => steps(state, i)), ...expiry(state, leases)],
  broken: ({ effects }) => (effects.length > 1 ? 'there is at most one effect' : undefined),
});

const put = (state: State, i: number, attempt: Attempt, rest: Partial<State> = {}): State => ({
  ...state,
  ...rest,
  attempts: state.attempts.map((old, j) => (i === j ? attempt : old)),
});

const steps = (state: State, i: number): Step<State>[] => {
  const attempt = state.attempts[i] as Attempt;
  if (attempt.at === 'answered' || attempt.at === 'crashed') return [];
  const crash = { does: `attempt ${i + 1} crashes`, to: put(state, i, { at: 'crashed' }) };
  return [...progress(state, i, attempt), crash];
};

const progress = (state: State, i: number, { at, version }: Attempt): Step<State>[] => {
  const name = `attempt ${i + 1}`;
  if (at === 'start') return [take(state, i, name)];
  if (at === 'holding') {
    const to = put(state, i, { at: 'deciding', version: state.version });
    return [{ does: `${name} reads version ${state.version}`, to }];
  }
  if (at === 'completing') return [complete(state, i, name)];
  if (version !== state.version)
    return [{ does: `${name} finds its version stale`, to: put(state, i, { at: 'holding' }) }];
  const effect = { version: state.version + 1, effects: [...state.effects, name] };
  return [{ does: `${name} makes the effect`, to: put(state, i, { at: 'completing' }, effect) }];
};

const take = (state: State, i: number, name: string): Step<State> => {
  const { record } = state;
  if (record?.completed) return { does: `${name} replays the record`, to: put(state, i, { at: 'answered' }) };
  if (record?.leased) return { does: `${name} gets 409`, to: put(state, i, { at: 'answered' }) };
  const to = put(state, i, { at: 'holding' }, { record: { holder: i, leased: true, completed: false } });
  return { does: record ? `${name} takes the key over` : `${name} takes the key, with a lease`, to };
};

const complete = (state: State, i: number, name: string): Step<State> => {
  const { record } = state;
  if (record?.holder !== i) return { does: `${name} has lost its lease`, to: put(state, i, { at: 'answered' }) };
  const to = put(state, i, { at: 'answered' }, { record: { ...record, completed: true } });
  return { does: `${name} completes the record`, to };
};

const expiry = (state: State, leases: Parameters<typeof lease>[1]): Step<State>[] => {
  const { record, attempts } = state;
  if (!record?.leased || record.completed) return [];
  if (leases === 'expire after a crash' && attempts[record.holder]?.at !== 'crashed') return [];
  const to = { ...state, record: { ...record, leased: false } };
  return [{ does: `the lease of attempt ${record.holder + 1} expires`, to }];
};
