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
/** Short, because people copy the tokens. */
const KEY_ID_LENGTH = 8;

export interface Issuer {
  readonly keys: { readonly keys: readonly JWK[] };
  /** Signs the claims unchanged, whatever their types. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Reads the issuer's key from a directory, or creates it if there is none. */
export const openIssuer = async (directory: string): Promise<Issuer> => {
  const file = join(directory, 'issuer.json');
  try {
    await openDirectory(directory);
    const text = await readFile(file, 'utf8').catch(() => createKeyFile(file));
    return await issuerOf(JSON.parse(text) as JWK);
  } catch (cause) {
    throw new CliError(`Cannot read or create the issuer's key ${file}: ${(cause as Error).message}`);
  }
};

const issuerOf = async (jwk: JWK): Promise<Issuer> => {
  const { d: _, ...publicKey } = jwk;
  const key = await importJWK(jwk, ALGORITHM);
  const header = { alg: ALGORITHM, kid: publicKey.kid as string, typ: 'JWT' };
  return {
    keys: { keys: [publicKey] },
    sign: (claims) => new SignJWT(claims as JWTPayload).setProtectedHeader(header).sign(key),
  };
};

/** An issuer whose key exists only in this process. */
export const temporaryIssuer = async (): Promise<Issuer> => issuerOf(await generateKey());

const generateKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = (await calculateJwkThumbprint(jwk)).slice(0, KEY_ID_LENGTH);
  return { ...jwk, kid, alg: ALGORITHM, use: 'sig' };
};

/** Creates the key atomically: if two processes create it at the same time, both use the key of the first process. */
const createKeyFile = async (file: string): Promise<string> => {
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
