import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { eventOf, INVOICE, postInvoice, send } from '#bench/measure/requests.ts';
import createInvoice from '#functions/invoices/create.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import { indexKey } from '#shared/platform/dynamodb/table.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';

const ACCOUNT = 'acct_1';
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

export const createPaymentClient = (token: string, client: DynamoDBDocumentClient): PaymentClient => {
  const create = lambda(createInvoice, { client, checks });
  const post = (body: unknown, key: string): SendTo => {
    const event = eventOf('POST /v1/payments', { token, body, key });
    return (handler) => send(handler, event);
  };
  return {
    createInvoice: () => postInvoice(token, create),
    paymentRequest: ({ invoice, key, isFull = false }) =>
      post({ invoice_id: invoice, amount_cents: isFull ? INVOICE.total_cents : PART_CENTS, method: 'card' }, key),
    invalidRequest: () => post({}, '00000000-0000-4000-8000-000000000000'),
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
