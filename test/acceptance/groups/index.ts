import { genericGroups } from '../generic/index.ts';
import { ownProfiles } from '../generic/own.ts';
import type { Group } from '../suite/check.ts';
import { conditionalRequests } from './conditional-requests.ts';

/** All groups. They start in this order: those that wait for workers first. */
export const groups: readonly Group[] = [conditionalRequests, ...ownProfiles.flatMap(genericGroups)];
