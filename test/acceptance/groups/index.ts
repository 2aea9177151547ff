import type { Group } from '../suite/check.ts';
import { conditionalRequests } from './conditional-requests.ts';

/** All groups. They start in this order: those that wait for workers first. */
export const groups: readonly Group[] = [conditionalRequests];
