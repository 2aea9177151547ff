import type { FeedAccess } from './client.ts';
import { Outbox } from './outbox.ts';
import { readCommitted } from './read-committed.ts';

/** An argument of the Lambdas that use events, because the others should not load it. */
export const FEED: FeedAccess = {
  createOutbox: (context, account) => new Outbox(context, account),
  readCommitted,
};
