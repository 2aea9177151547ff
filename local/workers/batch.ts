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

/** The event that Lambda makes of messages. */
export const sqsEvent = (messages: readonly Message[], arn: string): SQSEvent => ({
  Records: messages.map((message) => record(message, arn)),
});

/**
 * The messages that an invocation has dealt with. Lambda takes no answer, or an empty one, for success of all, and one
 * that names something that is not in the batch for failure of all (Lambda's guide, reporting batch item failures).
 */
export const handledMessages = (
  messages: readonly Message[],
  answer: SQSBatchResponse | undefined | null,
): Message[] => {
  const failed = new Set((answer?.batchItemFailures ?? []).map((failure) => failure?.itemIdentifier));
  const ids = new Set(messages.map(({ MessageId }) => MessageId));
  const isUnknown = [...failed].some((id) => !ids.has(id));
  return isUnknown ? [] : messages.filter(({ MessageId }) => !failed.has(MessageId as string));
};
