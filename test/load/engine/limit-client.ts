import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { HttpRequest, HttpResponse } from '@smithy/core/protocols';
import type { Request } from './accesses.ts';
import type { Call, LimitedEngine } from './limited-engine.ts';

type Handle = DynamoDBClient['config']['requestHandler']['handle'];
type HandleOptions = Parameters<Handle>[1];

const API = 'DynamoDB_20120810.';

/** Answers each attempt of a client's calls within limits, below the SDK's retries and deserializers. */
export const limitClient = ({ config }: DynamoDBDocumentClient, engine: LimitedEngine): void => {
  const { requestHandler } = config;
  const handle = async (request: HttpRequest, options?: HandleOptions) => {
    const reply = await engine.answer(
      String(request.headers['x-amz-target']).slice(API.length),
      // A copy, because the SDK's own bytes print a warning when they become a string.
      JSON.parse(Buffer.concat([request.body]).toString()) as Request,
      callOf(requestHandler, request, options),
    );
    const body = Readable.from(Buffer.from(JSON.stringify(reply.body)));
    return { response: new HttpResponse({ statusCode: reply.status, body }) };
  };
  config.requestHandler = Object.assign(Object.create(requestHandler), { handle });
};

/** The engines read only the access key of a signature, so a call with another body keeps the signature of the request. */
const callOf =
  (handler: { readonly handle: Handle }, request: HttpRequest, options: HandleOptions): Call =>
  async (input) => {
    const own = HttpRequest.clone(request);
    own.body = JSON.stringify(input);
    own.headers['content-length'] = String(Buffer.byteLength(own.body));
    const { response } = await handler.handle(own, options);
    return { status: response.statusCode, body: (await json(response.body)) as Record<string, unknown> };
  };
