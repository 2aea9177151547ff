import type { Entity } from '#shared/platform/entity.ts';
import type { Store } from './store/store.ts';

/**
 * The meaning of the use of a store method: its writes become events (CONTRACT §14), it creates a member, it checks the
 * fields that it writes, an id in the body may name no member, which is `not-found`, or it uses the page index of an
 * indexed resource (CONTRACT §5).
 */
type Meaning = 'changes' | 'creates' | 'checks' | 'references' | 'pages';

const MEANINGS: { readonly [Method in keyof Store<Entity>]?: readonly Meaning[] } = {
  insert: ['changes', 'creates', 'checks'],
  replace: ['changes', 'checks'],
  checkVersion: ['changes', 'checks'],
  move: ['checks'],
  remove: ['changes', 'pages'],
  getReferenced: ['references'],
  moveCount: ['references'],
  list: ['pages'],
  pageIndex: ['pages'],
};

export const hasMethodThat = (methods: readonly string[], meaning: Meaning): boolean =>
  methods.some((method) => MEANINGS[method as keyof Store<Entity>]?.includes(meaning));
