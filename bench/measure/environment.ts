import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynoxide } from '#local/engines/dynoxide.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import { claimsOf } from '#local/issuer/claims.ts';
import { openIssuer } from '#local/issuer/issuer.ts';
import { localIdentity } from '#local/settings/settings.ts';
import { requireDynoxide } from './dynoxide.ts';
import { eventOf, postInvoice } from './requests.ts';
import type { LambdaCall } from './subject.ts';

/** A DynamoDB and a token issuer on the loopback interface, with one invoice of `acct_1`. */
export interface BenchEnvironment {
  readonly token: string;
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
  // Its counter would add calls at random.
  RATE_LIMIT_PER_SECOND: '0',
};

/** The measured Lambdas count every fifth request, and reach no limit. */
const LIMITED = { RATE_LIMIT_PER_SECOND: '100000' };

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
  const event = eventOf('GET /v1/invoices/{invoice_id}', { token, id: await postInvoice(token) });
  const teardown = async () => {
    server.close();
    await Promise.all([engine.stop(), rm(directory, { recursive: true })]);
  };
  const call = { event: JSON.stringify(event), environment: { ...environment, ...LIMITED } };
  return { token, call, directory, teardown };
};
