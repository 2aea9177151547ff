import type { Group } from '../suite/check.ts';
import { access } from './access.ts';
import { conditionalRequests } from './conditional-requests.ts';
import { operationHeaders } from './operations.ts';
import { tenancy } from './tenancy.ts';
import { tokens } from './tokens.ts';

/** All groups. They start in this order: those that wait for workers first. */
export const groups: readonly Group[] = [access, tenancy, operationHeaders, tokens, conditionalRequests];
