import { relative } from 'node:path';
import { inProcessClient } from './demo/client.ts';
import { demoExamples, example } from './demo/examples.ts';
import { loadDemo } from './demo/load.ts';
import { enginesFile } from './engines/engines-file.ts';
import type { Handle } from './gateway/handle.ts';
import { RECEIVER_PATH } from './gateway/local-endpoints.ts';
import type { Issuer } from './issuer/issuer.ts';
import { adminToken } from './issuer/tokens.ts';
import { JWKS_PATH } from './settings/settings.ts';

const ACCOUNT = 'acct_1';
/**
 * The subject that creates the demo data. No token has it, so that every role that may refund can refund a demo
 * payment (§5: a clerk or accountant may not refund a payment that they created).
 */
const DEMO_SUB = 'demo-data';

interface StartupOptions {
  readonly handle: Handle;
  readonly issuer: Issuer;
  readonly url: string;
  /** The directory of the data. */
  readonly directory: string;
  readonly loadsDemo: boolean;
  /** Called when the demo data is loaded, or at once without it. */
  readonly onLoaded: () => void;
  readonly signal: AbortSignal;
}

const tokenOf = ({ issuer, url }: StartupOptions, account: string, sub: string): Promise<string> =>
  adminToken(process.env['JWKS_URL'] === url + JWKS_PATH ? issuer : undefined, account, sub);

const seed = async (options: StartupOptions): Promise<void> => {
  const { handle, url, signal } = options;
  console.error('Loading the demo accounts, which takes some seconds.');
  const demoToken = (account: string) => tokenOf(options, account, DEMO_SUB);
  const isNew = await loadDemo(handle, url + RECEIVER_PATH, demoToken, signal);
  if (signal.aborted) return;
  console.error(isNew ? 'The demo accounts are loaded.' : 'The demo accounts exist already.');
};

/** Example requests, one a line. */
const examplesOf = async (options: StartupOptions): Promise<string> => {
  const { handle, url, loadsDemo } = options;
  const token = await tokenOf(options, ACCOUNT, 'user_1');
  return loadsDemo ? demoExamples(url, token, inProcessClient(handle, token)) : example(url, token);
};

/** The docs page, the command that shows events, and the database, one a line. */
const hintsOf = ({ url, directory }: StartupOptions): string => {
  const file = enginesFile(directory);
  const path = relative(process.cwd(), file);
  const keys = path.startsWith('..') ? file : path;
  const events = `events npm run listen -- --url ${url}`;
  return `docs ${url}/docs\n${events}\nDynamoDB ${process.env['AWS_ENDPOINT_URL_DYNAMODB']} (keys: ${keys})`;
};

/** Loads the demo data, and then prints the line `ready` and the examples (CONTRACT §1), unless the signal aborts. */
export const printReady = async (options: StartupOptions): Promise<void> => {
  const { url, loadsDemo, onLoaded, signal } = options;
  if (loadsDemo) await seed(options);
  if (signal.aborted) return;
  onLoaded();
  const examples = await examplesOf(options);
  if (signal.aborted) return;
  console.log(`ready ${url}\n${examples}`);
  console.error(hintsOf(options));
};
