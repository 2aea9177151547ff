import type { Store } from './data/store.ts';
import type { Entity } from './entity.ts';

/**
 * The meaning of the use of a store method: its writes become events (CONTRACT §14), or an id in the body may name no
 * member, which is `not-found`.
 */
type Meaning = 'changes' | 'references';

const MEANINGS: { readonly [Method in keyof Store<Entity>]?: Meaning } = {
  insert: 'changes',
  replace: 'changes',
  checkVersion: 'changes',
  remove: 'changes',
  getReferenced: 'references',
  moveCount: 'references',
};

export const hasMethodThat = (methods: readonly string[], meaning: Meaning): boolean =>
  methods.some((method) => MEANINGS[method as keyof Store<Entity>] === meaning);
