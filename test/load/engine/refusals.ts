export type Refusal = 'throttled' | 'conflict';

/** A response of DynamoDB. */
export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const PREFIX = 'com.amazonaws.dynamodb.v20120810#';

const TOO_FAST = 'Throughput exceeds the current capacity of your table or index.';
const CONFLICT = 'Transaction is ongoing for the item.';

const ERRORS = {
  throttled: { name: 'ThrottlingException', reason: { Code: 'ThrottlingError', Message: TOO_FAST } },
  conflict: { name: 'TransactionConflictException', reason: { Code: 'TransactionConflict', Message: CONFLICT } },
} as const;

export const refuse = (refusal: Refusal): Reply => {
  const { name, reason } = ERRORS[refusal];
  return { status: 400, body: { __type: PREFIX + name, message: reason.Message } };
};

/** The reasons are in the order of the items; the message lists their codes. */
export const cancel = (refusals: readonly (Refusal | undefined)[]): Reply => {
  const CancellationReasons = refusals.map((refusal) => (refusal ? ERRORS[refusal].reason : { Code: 'None' }));
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return { status: 400, body: { __type: `${PREFIX}TransactionCanceledException`, Message, CancellationReasons } };
};
