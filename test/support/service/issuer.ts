import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const ISSUER = 'https://issuer.test/';
export const AUDIENCE = 'invoicing';

const KEY_ID = 'test-key';

export interface Issuer {
  /** The key set as a `data:` URL: on a busy machine, a fetch from a server can take longer than the service waits. */
  readonly keys: string;
  /** Signs the claims without a check; a claim that is undefined is omitted. */
  sign(claims: JWTPayload, header?: { alg?: string; kid?: string; typ?: string }): Promise<string>;
}

/** Creates the keys of a token issuer. */
export const createIssuer = async (algorithm = 'ES256'): Promise<Issuer> => {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: algorithm, use: 'sig' };
  return {
    keys: `data:application/json,${encodeURIComponent(JSON.stringify({ keys: [jwk] }))}`,
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: KEY_ID, ...header }).sign(privateKey),
  };
};

export interface RunningIssuer extends Issuer {
  readonly jwksUrl: string;
  close(): Promise<void>;
}

/** Starts a token issuer with a JWKS on the loopback interface. */
export const startIssuer = async (): Promise<RunningIssuer> => {
  const issuer = await createIssuer();
  const keys = await (await fetch(issuer.keys)).text();
  const server: Server = createServer((_, response) => response.end(keys));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    ...issuer,
    jwksUrl: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
