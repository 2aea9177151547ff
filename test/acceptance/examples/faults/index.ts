import { authenticationFaults } from './authentication.ts';
import { conditionalFaults } from './conditional-requests.ts';
import { cursorFaults } from './cursors.ts';
import type { Fault } from './edits.ts';
import { existenceFaults } from './existence-hiding.ts';
import { headFaults } from './head-and-cors.ts';
import { keyFaults } from './idempotency-keys.ts';
import { problemFaults } from './problems.ts';

/** Faults of the tickets by name; found.json has the checks that each of them makes fail, and no other check fails. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  ...authenticationFaults,
  ...problemFaults,
  ...conditionalFaults,
  ...keyFaults,
  ...cursorFaults,
  ...existenceFaults,
  ...headFaults,
};
