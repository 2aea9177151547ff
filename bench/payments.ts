import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import createInvoice from '#functions/invoices/create.ts';
import { gatewayEvent } from '#local/gateway/event.ts';
import { lambdaContext } from '#local/gateway/invoke.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import { indexKey } from '#shared/platform/dynamodb/index-key.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';
import type { LambdaCall } from './subject.ts';

const ACCOUNT = 'acct_1';
const INVOICE = { total_cents: 125_000, due_date: '2026-12-31', description: 'Consulting in November' };
const PART_CENTS = 100;

export interface PaymentRequest {
  readonly invoice: number;
  readonly key: string;
  /** Whether it pays the whole amount due. */
  readonly isFull?: boolean;
}

/** Sends a prepared request to a handler. */
type SendTo = (handler: LambdaHandler) => Promise<GatewayResult>;

/** A client of POST /v1/payments, as an admin of the account. */
export interface PaymentClient {
  /** Creates an open invoice and returns its id. */
  createInvoice(): Promise<number>;
  /** Prepares a payment as the gateway's event. */
  paymentRequest(sent: PaymentRequest): SendTo;
  /** Prepares a request with a valid token and an invalid body. */
  invalidRequest(): SendTo;
  countPayments(invoice: number): Promise<number>;
}

/** @param call its event has the token; its variables must already be in `process.env` */
export const createPaymentClient = ({ event }: LambdaCall, client: DynamoDBDocumentClient): PaymentClient => {
  const { authorization } = JSON.parse(event).headers;
  const post = createPost(authorization);
  const create = lambda(createInvoice, { client, checks });
  return {
    createInvoice: async () => {
      const { statusCode, body = '' } = await post('/v1/invoices', INVOICE)(create);
      if (statusCode !== 201) throw new Error(`POST /v1/invoices failed with ${statusCode}: ${body}`);
      return JSON.parse(body).id;
    },
    paymentRequest: ({ invoice, key, isFull = false }) => {
      const amount_cents = isFull ? INVOICE.total_cents : PART_CENTS;
      return post('/v1/payments', { invoice_id: invoice, amount_cents, method: 'card' }, key);
    },
    invalidRequest: () => post('/v1/payments', {}, '00000000-0000-4000-8000-000000000000'),
    countPayments: async (invoice) => {
      const query = new QueryCommand({
        TableName: process.env['PAYMENTS_TABLE'],
        IndexName: 'by_invoice_id',
        KeyConditionExpression: 'by_invoice_id = :invoice',
        ExpressionAttributeValues: { ':invoice': indexKey(ACCOUNT, [invoice]) },
        Select: 'COUNT',
      });
      return (await client.send(query)).Count ?? 0;
    },
  };
};

type Post = (path: string, value: unknown, key?: string) => SendTo;

const createPost =
  (authorization: string): Post =>
  (path, value, key) => {
    const headers = { Authorization: authorization, 'Content-Type': 'application/json', Host: 'api.example.com' };
    const received = {
      method: 'POST',
      target: path,
      rawHeaders: Object.entries({ ...headers, ...(key && { 'Idempotency-Key': key }) }).flat(),
      body: Buffer.from(JSON.stringify(value)),
      sourceIp: '127.0.0.1',
      port: 443,
      time: new Date(),
    };
    const event = gatewayEvent(received, { routeKey: `POST ${path}`, parameters: {} });
    const context = lambdaContext('bench', LAMBDA_DEFAULTS);
    return (handler) => handler(event, context);
  };

/** @throws Error for any status but 201 */
export const expectCreated = ({ statusCode, body }: GatewayResult): void => {
  if (statusCode !== 201) throw new Error(`POST /v1/payments failed with ${statusCode}: ${body}`);
};
