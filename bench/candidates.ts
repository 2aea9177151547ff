import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import createPayment from '#functions/payments/create.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';
import { powertools, withoutEvents as withoutEventsHandler } from './powertools.ts';

/** A handler of POST /v1/payments, and the client that it uses. */
export interface Candidate {
  client(): DynamoDBDocumentClient;
  handler(client: DynamoDBDocumentClient): LambdaHandler;
}

const powertoolsHandler = (client: DynamoDBDocumentClient): LambdaHandler => powertools(client, process.env);

export const service: Candidate = {
  client: createDynamoClient,
  handler: (client) => lambda(createPayment, { client, checks }),
};

/** Powertools with the service's client, so that only the mechanism differs. */
export const baseline: Candidate = { client: createDynamoClient, handler: powertoolsHandler };

/** The service without the events of a commit. */
export const withoutEvents: Candidate = {
  client: createDynamoClient,
  handler: (client) => withoutEventsHandler(client, process.env),
};

/** Powertools with the client that its documentation shows: the SDK's, with its defaults. */
export const documented: Candidate = {
  client: () => DynamoDBDocumentClient.from(new DynamoDBClient(), { marshallOptions: { removeUndefinedValues: true } }),
  handler: powertoolsHandler,
};
