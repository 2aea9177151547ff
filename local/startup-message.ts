import { progress } from './cli/progress.ts';
import { demoExamples, example } from './demo/examples.ts';
import { inProcessClient } from './demo/in-process-client.ts';
import { seed } from './demo/seed.ts';
import type { Router } from './gateway/invoke.ts';
import type { Issuer } from './issuer/issuer.ts';
import { adminToken } from './issuer/tokens.ts';
import { JWKS_PATH } from './settings/settings.ts';

/** Whose data the examples are about. */
const ACCOUNT = 'acct_1';
/** Who has made the demo data: nobody whom the conditional rules (§5) would keep from refunding a demo payment. */
const LOADER = 'demo-data';

/** What a start shows, and of what. */
export interface Shown {
  readonly router: Router;
  readonly issuer: Issuer;
  /** Where the service listens. */
  readonly url: string;
  /** Whether the demo accounts are loaded first. */
  readonly seeds: boolean;
  /** Ends the loading early. */
  readonly signal: AbortSignal;
}

const tokenOf = ({ issuer, url }: Shown, account: string, sub: string): Promise<string> =>
  adminToken(process.env['JWKS_URL'] === url + JWKS_PATH ? issuer : undefined, account, sub);

const loadDemo = async (shown: Shown): Promise<void> => {
  const { router, signal } = shown;
  const start = performance.now();
  const show = (steps: number) => progress('Loading the demo accounts', steps);
  const isNew = await seed(router, (account) => tokenOf(shown, account, LOADER), show, signal);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (signal.aborted) return;
  console.error(
    isNew ? `Demo accounts loaded in ${seconds} s.` : 'The demo accounts are there already: nothing is added.',
  );
};

/**
 * Loads the demo accounts where they are asked for.
 * @returns requests to paste, one a line
 */
export const startupMessage = async (shown: Shown): Promise<string> => {
  const { router, url, seeds, signal } = shown;
  if (seeds) await loadDemo(shown);
  const token = await tokenOf(shown, ACCOUNT, 'user_1');
  return seeds && !signal.aborted ? demoExamples(url, token, inProcessClient(router, token)) : example(url, token);
};
