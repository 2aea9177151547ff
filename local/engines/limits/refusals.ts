import type { Reply } from './call.ts';

export type Refusal = 'throttled' | 'conflict';

const PREFIX = 'com.amazonaws.dynamodb.v20120810#';

const error = (name: string, message: string, members: object = {}): Reply => ({
  status: 400,
  body: { __type: PREFIX + name, message, ...members },
});

const TOO_FAST =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so ' +
  'please try again shortly. If exceptions persist, check if you have a hot key.';
const TOO_FAST_PROVISIONED =
  'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level ' +
  'with the UpdateTable API.';
const CONFLICT = 'Transaction is ongoing for the item.';

/** A table in on-demand mode refuses with a ThrottlingException, another one with the older exception. */
export const throttled = (isOnDemand: boolean): Reply =>
  isOnDemand
    ? error('ThrottlingException', TOO_FAST)
    : error('ProvisionedThroughputExceededException', TOO_FAST_PROVISIONED);

export const conflicted = (): Reply => error('TransactionConflictException', CONFLICT);

export const inProgress = (): Reply =>
  error('TransactionInProgressException', 'The transaction with the given request token is already in progress.');

/** A write whose condition fails still consumes units. */
export const isFailedCondition = ({ status, body }: Reply): boolean =>
  status === 400 && JSON.stringify(body).includes('ConditionalCheckFailed');

const reason = (refusal: Refusal | undefined, isOnDemand: boolean) => {
  if (!refusal) return { Code: 'None' };
  if (refusal === 'conflict') return { Code: 'TransactionConflict', Message: CONFLICT };
  return isOnDemand
    ? { Code: 'ThrottlingError', Message: TOO_FAST }
    : { Code: 'ProvisionedThroughputExceeded', Message: TOO_FAST_PROVISIONED };
};

/** The reasons are in the order of the items; the message lists their codes. */
export const canceled = (
  items: readonly { readonly refusal: Refusal | undefined; readonly isOnDemand: boolean }[],
): Reply => {
  const CancellationReasons = items.map(({ refusal, isOnDemand }) => reason(refusal, isOnDemand));
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return { status: 400, body: { __type: `${PREFIX}TransactionCanceledException`, Message, CancellationReasons } };
};
