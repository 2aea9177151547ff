import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '#infra/build/bundle.ts';
import { SettingError } from './context.ts';

/**
 * The public keys of this machine's issuer as a `data:` URL, so that `npm run token` works against what is deployed.
 * The issuer is asked by a command of its own, which makes its key when there is none yet: the private one is never
 * in the process that writes the template.
 * @throws SettingError when there is no key and none can be made
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
