import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import createInvoice from '#functions/invoices/create.ts';
import { gatewayEvent } from '#local/event.ts';
import { indexKey } from '#shared/data/index-key.ts';
import type { GatewayResult } from '#shared/http/exchange.ts';
import type { LambdaHandler } from '#shared/http/serve.ts';
import { lambda } from '#shared/runtime.ts';
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

/** Clients of POST /v1/payments, as an account's admin. */
export interface Payments {
  /** A new open invoice. */
  invoice(): Promise<number>;
  /** A payment, through the handler of either side. */
  pay(handler: LambdaHandler, sent: Sent): Promise<GatewayResult>;
  /** A request that is refused for its body, after its token was verified. */
  warm(handler: LambdaHandler): Promise<GatewayResult>;
  /** How many payments an invoice has. */
  count(invoice: number): Promise<number>;
}

/** @param call names the token of the account; the process's environment is already the call's */
export const payments = ({ event }: Call, client: DynamoDBDocumentClient): Payments => {
  const { authorization } = JSON.parse(event).headers;
  const post = (handler: LambdaHandler, path: string, value: unknown, key?: string): Promise<GatewayResult> => {
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
    const end = Date.now() + 10_000;
    const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => end - Date.now() };
    return handler(gatewayEvent(received, { routeKey: `POST ${path}`, parameters: {} }), context as never);
  };
  const create = lambda(createInvoice, process.env, client);
  return {
    invoice: async () => {
      const { statusCode, body = '' } = await post(create, '/v1/invoices', INVOICE);
      if (statusCode !== 201) throw new Error(`No invoice can be created: ${body}`);
      return JSON.parse(body).id;
    },
    pay: (handler, { invoice, key, whole = false }) => {
      const amount_cents = whole ? INVOICE.total_cents : PART_CENTS;
      return post(handler, '/v1/payments', { invoice_id: invoice, amount_cents, method: 'card' }, key);
    },
    warm: (handler) => post(handler, '/v1/payments', {}, '00000000-0000-4000-8000-000000000000'),
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
