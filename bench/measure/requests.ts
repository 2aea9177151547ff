import createInvoice from '#functions/invoices/create.ts';
import { gatewayEvent } from '#local/gateway/event.ts';
import { lambdaContext } from '#local/gateway/invoke.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';

interface RequestInput {
  readonly token: string;
  readonly body?: unknown;
  readonly key?: string;
  /** The id in the path. */
  readonly id?: number;
}

/** The gateway's event for a request. */
export const eventOf = (route: string, { token, body, key, id }: RequestInput): GatewayEvent => {
  const [method = '', path = ''] = route.split(' ');
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: '*/*',
    Host: 'api.example.com',
    'User-Agent': 'bench',
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  const received = {
    method,
    target: path.replace('{invoice_id}', String(id)),
    rawHeaders: Object.entries(headers).flat(),
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    sourceIp: '127.0.0.1',
    port: 443,
    time: new Date(),
  };
  const parameters: Record<string, string> = id === undefined ? {} : { invoice_id: String(id) };
  return gatewayEvent(received, { routeKey: route, parameters });
};

export const send = (handler: LambdaHandler, event: GatewayEvent): Promise<GatewayResult> =>
  handler(event, lambdaContext('bench', LAMBDA_DEFAULTS));

/** @throws Error for any status but 201 */
export const expectCreated = ({ statusCode, body = '' }: GatewayResult): { readonly id: number } => {
  if (statusCode !== 201) throw new Error(`A POST failed with ${statusCode}: ${body}`);
  return JSON.parse(body);
};

export const INVOICE = {
  total_cents: 125_000,
  due_date: '2026-12-31',
  description: 'Consulting in November',
  metadata: { order: 'A-1017', cost_center: '4711' },
};

/** Creates an open invoice and returns its id. */
export const postInvoice = async (token: string, handler = lambda(createInvoice, { checks })): Promise<number> =>
  expectCreated(await send(handler, eventOf('POST /v1/invoices', { token, body: INVOICE }))).id;
