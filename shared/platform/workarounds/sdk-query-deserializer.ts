/**
 * Sends a query and returns the text of its response, without the SDK's deserializer.
 *
 * Issue: the deserializer visits every attribute of every row, and the document client visits it again.
 * Symptom: most of the CPU time of an export of a million rows.
 * Gain: reading a row takes 21 µs of CPU instead of 61 (22 November 2026, Node 24.21.0). Exports and `expand=items` use it.
 * Remove when: the SDK takes at most 1.03 times as long.
 */
import { text } from 'node:stream/consumers';
import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';

/** The SDK still signs, retries and throws errors. */
export const sendRaw = async (client: DynamoDBDocumentClient, command: QueryCommand): Promise<string> => {
  let body = '{}';
  command.middlewareStack.add(
    (next) => async (call) => {
      const result = await next(call);
      const response = result.response as Response;
      if (response.statusCode !== 200) return result;
      body = await text(response.body as NodeJS.ReadableStream);
      response.body = Buffer.from('{}');
      return result;
    },
    // `override`: a document command shares its stack with its inner command, so the middleware may be added twice.
    { step: 'deserialize', priority: 'low', name: 'raw', override: true },
  );
  await client.send(command);
  return body;
};

interface Response {
  readonly statusCode: number;
  body: unknown;
}
