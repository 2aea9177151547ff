import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import createPayment from '#functions/payments/create.ts';
import { lambda } from '#shared/lambda/runtime.ts';
import { createDynamoClient } from '#shared/platform/data/client.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { peer } from './peer.ts';

/** What pays an invoice: a Lambda's handler, and the client that it is made with. */
export interface Candidate {
  client(): DynamoDBDocumentClient;
  handler(client: DynamoDBDocumentClient): LambdaHandler;
}

const byPowertools = (client: DynamoDBDocumentClient): LambdaHandler => peer(client, process.env);

export const service: Candidate = {
  client: createDynamoClient,
  handler: (client) => lambda(createPayment, process.env, client),
};

/** Powertools on the service's own client, so that nothing differs but the mechanism. */
export const baseline: Candidate = { client: createDynamoClient, handler: byPowertools };

/** Powertools on the client that it makes for itself, and that its documentation shows: the SDK's, nothing set. */
export const documented: Candidate = {
  client: () => DynamoDBDocumentClient.from(new DynamoDBClient(), { marshallOptions: { removeUndefinedValues: true } }),
  handler: byPowertools,
};
