import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '#infra/build/bundle.ts';
import { SettingError } from './context.ts';

/**
 * The public keys of the local issuer as a `data:` URL, so that a deployed dev stage accepts `npm run token`. A
 * separate process reads the key, or creates it if there is none. So the private key is never in the process that
 * writes the template.
 */
export const localIssuerKeys = (): string => {
  try {
    const { env, execPath } = process;
    const jwks = execFileSync(execPath, [join(ROOT, 'local/issuer/jwks.ts')], { encoding: 'utf8', stdio: 'pipe', env });
    return `data:application/json,${encodeURIComponent(jwks.trim())}`;
  } catch (error) {
    throw new SettingError(String((error as { stderr?: string }).stderr ?? error).trim());
  }
};
