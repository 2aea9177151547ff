import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { HttpRequest, HttpResponse } from '@smithy/core/protocols';
import type { Request } from './actions.ts';
import type { Call } from './call.ts';
import type { ThroughputLimiter } from './limiter.ts';

type Handle = DynamoDBClient['config']['requestHandler']['handle'];
type HandleOptions = Parameters<Handle>[1];

const API = 'DynamoDB_20120810.';
const TARGET = 'x-amz-target';

/**
 * Answers each attempt of a client's calls within limits, below the SDK's retries and deserializers. Another client of
 * the same engine has no limits, unless it has the same limiter.
 */
export const limitClient = ({ config }: DynamoDBDocumentClient, limiter: ThroughputLimiter): void => {
  const { requestHandler } = config;
  const handle = async (request: HttpRequest, options?: HandleOptions) => {
    const reply = await limiter.answer(
      String(request.headers[TARGET]).slice(API.length),
      // A copy, because the SDK's own bytes print a warning when they become a string.
      JSON.parse(Buffer.concat([request.body]).toString()) as Request,
      callOf(requestHandler, request, options),
    );
    const body = Readable.from(Buffer.from(JSON.stringify(reply.body)));
    return { response: new HttpResponse({ statusCode: reply.status, body }) };
  };
  config.requestHandler = Object.assign(Object.create(requestHandler), { handle });
};

/** The engines read only the access key of a signature, so the limiter's own calls have the signature of the request. */
const callOf =
  (handler: { readonly handle: Handle }, request: HttpRequest, options: HandleOptions): Call =>
  async (operation, input) => {
    const own = HttpRequest.clone(request);
    own.body = JSON.stringify(input);
    Object.assign(own.headers, { [TARGET]: API + operation, 'content-length': String(Buffer.byteLength(own.body)) });
    const { response } = await handler.handle(own, options);
    return { status: response.statusCode, body: (await json(response.body)) as Record<string, unknown> };
  };
