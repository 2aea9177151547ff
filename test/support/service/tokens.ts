import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The claims of a token that a test asks for. */
export interface TokenRequest {
  readonly account: string;
  readonly sub: string;
  readonly role?: string | undefined;
  readonly scope?: string | undefined;
  /** Lifetime; negative for an expired token. */
  readonly seconds?: number;
  /** Claims that override the usual claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * Issues an access token.
 * @throws Error if the issuer cannot issue such a token
 */
export type TokenSource = (request: TokenRequest) => Promise<string>;

const argumentsOf = ({ account, sub, role, scope, seconds, claims }: TokenRequest): string[] => [
  ...['--account', account, '--sub', sub],
  ...(role === undefined ? [] : ['--role', role]),
  ...(scope === undefined ? [] : ['--scope', scope]),
  ...(seconds === undefined ? [] : ['--expires-in', String(seconds)]),
  ...(claims === undefined ? [] : ['--claims', JSON.stringify(claims)]),
];

const execute = promisify(execFile);

/** Runs a shell command with the options of `npm run token`; it prints one token, or fails if it cannot issue it. */
export const tokenCommand =
  (command: string): TokenSource =>
  async (request) => {
    const options = argumentsOf(request);
    try {
      const { stdout } = await execute('sh', ['-c', `${command} "$@"`, 'sh', ...options]);
      return stdout.trim();
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string };
      const reason = stderr.trim().slice(0, 200);
      throw new Error(`the token command issues no token for ${options.join(' ')}: ${reason}`, { cause: error });
    }
  };

/** Each token is issued once. */
export const cachedTokens = (source: TokenSource): TokenSource => {
  const tokens = new Map<string, Promise<string>>();
  return (request) => {
    const key = JSON.stringify(request);
    const token = tokens.get(key) ?? source(request);
    tokens.set(key, token);
    return token;
  };
};
