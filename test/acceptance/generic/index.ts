import type { Group } from '../suite/check.ts';
import { authentication } from './authentication.ts';
import { conditionalRequests } from './conditional-requests.ts';
import { cors } from './cors.ts';
import { cursors } from './cursors.ts';
import { existenceHiding } from './existence-hiding.ts';
import { head } from './head.ts';
import { idempotencyKeys } from './idempotency-keys.ts';
import { problemDetails } from './problem-details.ts';
import type { Profile } from './profile.ts';

/** The groups of checks of any service, for the service of a profile. */
export const genericGroups = (profile: Profile): Group[] =>
  [authentication, problemDetails, conditionalRequests, idempotencyKeys, cursors, existenceHiding, head, cors].map(
    (group) => group(profile),
  );
