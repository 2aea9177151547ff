import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const attribute = ({ StringValue, BinaryValue, DataType = '' }: MessageAttributeValue): SQSMessageAttribute => ({
  ...(StringValue !== undefined && { stringValue: StringValue }),
  ...(BinaryValue !== undefined && { binaryValue: base64(BinaryValue) }),
  stringListValues: [],
  binaryListValues: [],
  dataType: DataType,
});

const record = (message: Message, arn: string): SQSRecord => {
  const attributes = Object.entries(message.MessageAttributes ?? {});
  return {
    messageId: message.MessageId as string,
    receiptHandle: message.ReceiptHandle as string,
    body: message.Body as string,
    attributes: message.Attributes as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(attributes.map(([name, value]) => [name, attribute(value)])),
    md5OfBody: message.MD5OfBody as string,
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3] as string,
  };
};

export const sqsEvent = (messages: readonly Message[], arn: string): SQSEvent => ({
  Records: messages.map((message) => record(message, arn)),
});

/**
 * The messages that an invocation has processed. To Lambda, no response or an empty response means that all messages
 * succeeded, and an id that is not in the batch means that all messages failed (AWS: reporting batch item failures).
 */
export const handledMessages = (
  messages: readonly Message[],
  result: SQSBatchResponse | undefined | null,
): Message[] => {
  const failed = new Set((result?.batchItemFailures ?? []).map((failure) => failure?.itemIdentifier));
  const ids = new Set(messages.map(({ MessageId }) => MessageId));
  const isUnknown = [...failed].some((id) => !ids.has(id));
  return isUnknown ? [] : messages.filter(({ MessageId }) => !failed.has(MessageId as string));
};
