/**
 * Sends a query and returns the text of its response, past the SDK's deserializer.
 *
 * Issue: the deserializer walks every attribute of every row by its schema, and then the document client walks it again.
 * Symptom: most of the CPU time of an export of a million rows.
 * Gain: two thirds of the CPU time of reading a row: 21 µs instead of 61 (22 November 2026, Node 24.21.0). Only exports
 * use it.
 * Remove when: the SDK's own way takes at most 1.03 of the time.
 */
import { text } from 'node:stream/consumers';
import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';

/** Errors, retries and signing stay the SDK's. */
export const sendRaw = async (client: DynamoDBDocumentClient, command: QueryCommand): Promise<string> => {
  let answer = '{}';
  command.middlewareStack.add(
    (next) => async (call) => {
      const result = await next(call);
      const response = result.response as Response;
      if (response.statusCode !== 200) return result;
      answer = await text(response.body as NodeJS.ReadableStream);
      response.body = Buffer.from('{}');
      return result;
    },
    // A document command's own stack is its inner command's, too.
    { step: 'deserialize', priority: 'low', name: 'raw', override: true },
  );
  await client.send(command);
  return answer;
};

interface Response {
  readonly statusCode: number;
  body: unknown;
}
