/** Lambda's limits for a synchronous invocation, in bytes of the serialized event and result. */
const MAX_EVENT_BYTES = 6_291_456;
const MAX_RESULT_BYTES = 6_291_556;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? 'null');

export const isEventTooLarge = (event: unknown): boolean => bytesOf(event) > MAX_EVENT_BYTES;

export const checkEvent = (event: unknown): void => {
  if (!isEventTooLarge(event)) return;
  throw new Error(`RequestEntityTooLargeException: Request must be smaller than ${MAX_EVENT_BYTES} bytes.`);
};

export const checkResult = <R>(result: R): R => {
  if (bytesOf(result) <= MAX_RESULT_BYTES) return result;
  throw new Error(
    `Function.ResponseSizeTooLarge: Response payload size exceeded maximum allowed payload size (${MAX_RESULT_BYTES} bytes).`,
  );
};
