import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import createInvoice from '#functions/invoices/create.ts';
import { gatewayEvent } from '#local/gateway/event.ts';
import { lambdaContext } from '#local/gateway/invoke.ts';
import { lambda } from '#shared/lambda/runtime.ts';
import { indexKey } from '#shared/platform/data/index-key.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { LAMBDA_DEFAULTS } from '#shared/platform/lambda/defaults.ts';
import type { Call } from './subject.ts';

const ACCOUNT = 'acct_1';
const INVOICE = { total_cents: 125_000, due_date: '2026-12-31', description: 'Consulting in November' };
const PART_CENTS = 100;

/** One payment of an invoice. */
export interface Sent {
  readonly invoice: number;
  readonly key: string;
  /** Whether it pays all that is due, or a part. */
  readonly whole?: boolean;
}

/** A request that is made ready, and now to be answered by a handler. */
export type Request = (handler: LambdaHandler) => Promise<GatewayResult>;

/** Clients of POST /v1/payments, as an account's admin. */
export interface Payments {
  /** A new open invoice. */
  invoice(): Promise<number>;
  /** A payment as the gateway hands it to a Lambda, to be sent once. */
  payment(sent: Sent): Request;
  /** A request that is refused for its body, after its token was verified. */
  refused(): Request;
  /** How many payments an invoice has. */
  count(invoice: number): Promise<number>;
}

/** @param call names the token of the account; the process's environment is already the call's */
export const payments = ({ event }: Call, client: DynamoDBDocumentClient): Payments => {
  const { authorization } = JSON.parse(event).headers;
  const post = poster(authorization);
  const create = lambda(createInvoice, process.env, client);
  return {
    invoice: async () => {
      const { statusCode, body = '' } = await post('/v1/invoices', INVOICE)(create);
      if (statusCode !== 201) throw new Error(`No invoice can be created: ${body}`);
      return JSON.parse(body).id;
    },
    payment: ({ invoice, key, whole = false }) => {
      const amount_cents = whole ? INVOICE.total_cents : PART_CENTS;
      return post('/v1/payments', { invoice_id: invoice, amount_cents, method: 'card' }, key);
    },
    refused: () => post('/v1/payments', {}, '00000000-0000-4000-8000-000000000000'),
    count: async (invoice) => {
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

type Post = (path: string, value: unknown, key?: string) => Request;

/** Makes POST requests of the bearer of a token. */
const poster =
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

/** @throws Error for any answer but 201 */
export const succeeded = ({ statusCode, body }: GatewayResult): void => {
  if (statusCode !== 201) throw new Error(`No payment can be made: ${body}`);
};
