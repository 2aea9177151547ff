import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { BUCKET_VARIABLE, queues } from '#shared/invoicing/queues.ts';
import { tables } from '#shared/invoicing/tables.ts';

export interface EmptyAws {
  /** The environment variables of all functions. */
  readonly environment: Readonly<Record<string, string>>;
  /** A token of an admin. */
  readonly token: string;
  stop(): void;
}

const IDENTITY = { ISSUER: 'urn:invoicing:build', AUDIENCE: 'invoicing' };

/** The responses of DynamoDB and SQS without stored data. */
const EMPTY = JSON.stringify({ Items: [], Count: 0, Responses: {}, UnprocessedKeys: {} });

/** Serves empty AWS services and an issuer's keys on the loopback interface. */
export const startAws = async (): Promise<EmptyAws> => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: KID, alg: 'RS256' }] });
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(request.url === '/keys' ? keys : EMPTY));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { environment: environmentOf(url), token: await signToken(privateKey), stop };
};

const KID = 'build';

const signToken = (privateKey: Parameters<SignJWT['sign']>[0]): Promise<string> =>
  new SignJWT({ iss: IDENTITY.ISSUER, aud: IDENTITY.AUDIENCE, sub: 'build', account_id: 'acct_1', role: 'admin' })
    .setProtectedHeader({ alg: 'RS256', kid: KID })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);

const environmentOf = (url: string): Record<string, string> => ({
  ...IDENTITY,
  ...Object.fromEntries(Object.values(tables).map(({ variable }) => [variable, 'table'])),
  ...Object.fromEntries(Object.values(queues).map(({ variable }) => [variable, `${url}/0/queue`])),
  [BUCKET_VARIABLE]: 'files',
  JWKS_URL: `${url}/keys`,
  CODE_CACHE: 'accepted',
  POWERTOOLS_METRICS_NAMESPACE: 'invoicing',
  AWS_LAMBDA_FUNCTION_NAME: 'build',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'build',
  AWS_SECRET_ACCESS_KEY: 'build',
  AWS_SESSION_TOKEN: 'build',
  AWS_ENDPOINT_URL_DYNAMODB: url,
  AWS_ENDPOINT_URL_SQS: url,
});
