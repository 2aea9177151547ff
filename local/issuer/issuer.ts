import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { CliError } from '#local/cli/cli-error.ts';
import { openDirectory } from '#local/settings/private-files.ts';

const ALGORITHM = 'ES256';

/** Issues this machine's access tokens. */
export interface Issuer {
  /** The public key, as a JWKS (RFC 7517 §5). */
  readonly keys: { readonly keys: readonly JWK[] };
  /** Signs claims exactly as they are given, whatever their types. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
}

/**
 * Opens the issuer whose key a directory holds, and makes the key when there is none yet.
 * @throws Failure when the directory cannot be written or the file holds no such key
 */
export const openIssuer = async (directory: string): Promise<Issuer> => {
  const file = join(directory, 'issuer.json');
  try {
    await openDirectory(directory);
    const text = await readFile(file, 'utf8').catch(() => create(file));
    return await issuerOf(JSON.parse(text) as JWK);
  } catch (cause) {
    throw new CliError(`${file} can be neither read nor made as the issuer's key: ${(cause as Error).message}`);
  }
};

const issuerOf = async (jwk: JWK): Promise<Issuer> => {
  const { d: _, ...open } = jwk;
  const key = await importJWK(jwk, ALGORITHM);
  const header = { alg: ALGORITHM, kid: open.kid as string, typ: 'JWT' };
  return {
    keys: { keys: [open] },
    sign: (claims) => new SignJWT(claims as JWTPayload).setProtectedHeader(header).sign(key),
  };
};

/** Issues tokens with a key of its own, which ends with this process. */
export const temporaryIssuer = async (): Promise<Issuer> => issuerOf(await generateKey());

const generateKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM, use: 'sig' };
};

/** Makes the key in one step: of two processes that both find none, the second one takes the first one's. */
const create = async (file: string): Promise<string> => {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(await generateKey()), { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft);
  }
  return readFile(file, 'utf8');
};
