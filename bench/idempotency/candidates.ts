import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { SubjectName } from '#bench/measure/samples.ts';
import createPayment from '#functions/payments/create.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';
import { powertools } from './powertools.ts';

export { createDynamoClient } from '#shared/platform/dynamodb/client.ts';

/** A handler of POST /v1/payments, by Powertools and by the service. They share the client, so that only the mechanism differs. */
export const createHandler: Readonly<Record<SubjectName, (client: DynamoDBDocumentClient) => LambdaHandler>> = {
  baseline: (client) => powertools(client, process.env),
  service: (client) => lambda(createPayment, { client, checks }),
};
