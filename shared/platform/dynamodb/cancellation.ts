import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { THROTTLING_REASONS } from '#shared/platform/dynamodb/client.ts';

export type Reason = Pick<CancellationReason, 'Code' | 'Item'>;

export const CONFLICT = 'TransactionConflict';

/** Reasons for which a retry can succeed. */
const TRANSIENT: readonly string[] = [CONFLICT, ...THROTTLING_REASONS];

/** Whether the reason does not prevent the success of a retry; an action without a failure has the reason `None`. */
export const isTransientReason = ({ Code = 'None' }: Reason): boolean => Code === 'None' || TRANSIENT.includes(Code);
