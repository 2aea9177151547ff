import { createServer, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const ISSUER = 'https://issuer.test/';
export const AUDIENCE = 'invoicing';

const KEY_ID = 'test-key';

export interface Issuer {
  readonly jwksUrl: string;
  /** Signs the claims without a check; a claim that is undefined is omitted. */
  sign(claims: JWTPayload, header?: { alg?: string; kid?: string; typ?: string }): Promise<string>;
  close(): Promise<void>;
}

/** Starts a token issuer with a JWKS on the loopback interface. */
export const startIssuer = async (algorithm = 'ES256'): Promise<Issuer> => {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: algorithm, use: 'sig' };
  const server: Server = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    jwksUrl: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: KEY_ID, ...header }).sign(privateKey),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
