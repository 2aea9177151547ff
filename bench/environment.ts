import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createInvoice from '#functions/invoices/create.ts';
import { startDynoxide } from '#local/engines/dynoxide.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import { gatewayEvent } from '#local/gateway/event.ts';
import { lambdaContext } from '#local/gateway/invoke.ts';
import { claimsOf } from '#local/issuer/claims.ts';
import { openIssuer } from '#local/issuer/issuer.ts';
import { localIdentity } from '#local/settings/settings.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';
import { requireDynoxide } from './dynoxide.ts';
import type { LambdaCall } from './subject.ts';

/** A DynamoDB and a token issuer on the loopback interface, with one invoice of `acct_1`. */
export interface BenchEnvironment {
  /** GET of that invoice. */
  readonly call: LambdaCall;
  /** A temporary directory outside of the repository, so that bundles do not find its node_modules. */
  readonly directory: string;
  teardown(): Promise<void>;
}

/** The variables that Lambda sets for a function. */
const LAMBDA = {
  AWS_LAMBDA_FUNCTION_NAME: 'bench',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_SESSION_TOKEN: 'bench',
};

const INVOICE = {
  total_cents: 125_000,
  due_date: '2026-12-31',
  description: 'Consulting in November',
  metadata: { order: 'A-1017', cost_center: '4711' },
};

export const createEnvironment = async (): Promise<BenchEnvironment> => {
  const directory = await mkdtemp(join(tmpdir(), 'invoicing-bench-'));
  const [engine, issuer] = await Promise.all([startDynoxide(requireDynoxide()), openIssuer(directory)]);
  const server = createServer((_, response) => response.end(JSON.stringify(issuer.keys)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const environment = {
    ...LAMBDA,
    ...tableVariables(),
    ...localIdentity(`http://127.0.0.1:${port}`),
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  };
  // Silences the service's code in this process; the measured Lambdas print as when deployed.
  Object.assign(process.env, environment, { POWERTOOLS_LOG_LEVEL: 'SILENT', POWERTOOLS_METRICS_DISABLED: 'true' });
  await createTables(engine.endpoint);
  const token = await issuer.sign(claimsOf({ account: 'acct_1', sub: 'bench', role: 'admin' }, 3600, environment));
  const id = await postInvoice(token);
  const event = eventOf('GET /v1/invoices/{invoice_id}', { token, path: `/v1/invoices/${id}`, id });
  const teardown = async () => {
    server.close();
    await Promise.all([engine.stop(), rm(directory, { recursive: true })]);
  };
  return { call: { event: JSON.stringify(event), environment }, directory, teardown };
};

interface EventInput {
  readonly token: string;
  readonly path: string;
  readonly id?: string;
  readonly body?: unknown;
}

const eventOf = (routeKey: string, { token, path, id, body }: EventInput): GatewayEvent => {
  const [method = ''] = routeKey.split(' ');
  const headers = { Authorization: `Bearer ${token}`, Accept: '*/*', Host: 'api.example.com', 'User-Agent': 'bench' };
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return gatewayEvent(
    {
      method,
      target: path,
      rawHeaders: Object.entries({ ...headers, ...type }).flat(),
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      sourceIp: '127.0.0.1',
      port: 443,
      time: new Date(),
    },
    { routeKey, parameters: id === undefined ? {} : { invoice_id: id } },
  );
};

/** Creates the invoice over the API and returns its id. */
const postInvoice = async (token: string): Promise<string> => {
  const event = eventOf('POST /v1/invoices', { token, path: '/v1/invoices', body: INVOICE });
  const { statusCode, body = '' } = await lambda(createInvoice, { checks })(
    event,
    lambdaContext('bench', LAMBDA_DEFAULTS),
  );
  if (statusCode !== 201) throw new Error(`POST /v1/invoices failed with ${statusCode}: ${body}`);
  return String(JSON.parse(body).id);
};
