import { type Client, createClient, InvoicingError } from '#client/source/index.ts';
import { ACCOUNT_ID } from '#shared/platform/http/auth/access-token.ts';
import { parseOptions } from './cli/arguments.ts';
import { CliError, run } from './cli/cli-error.ts';
import { printable } from './cli/printable.ts';
import { onShutdown, onTerminalEnd } from './cli/shutdown.ts';
import { openIssuer } from './issuer/issuer.ts';
import { adminToken } from './issuer/tokens.ts';
import { styleOf } from './logs/format.ts';
import { parsePort, portOf, readStorage } from './settings/settings.ts';
import { eventLine } from './webhooks/event-line.ts';
import { openReceiver } from './webhooks/receiver.ts';

const USAGE = '[--port <port>] [--forward <URL>] [--account <id>] [--url <URL>]';

const HELP = `Prints the events of an account, one a line, as soon as they are committed.

  npm run listen -- ${USAGE}

  --port     port of the receiver on this machine (default: 4100; 0 selects a free port)
  --forward  URL to which each event is sent, with its headers; the line ends with the status of the response
  --account  account whose events are printed (default: acct_1)
  --url      address of the local service (default: http://127.0.0.1:3000, or the port of PORT)

It creates a webhook endpoint at the running local service, verifies each request, and deletes the endpoint at the end:
Ctrl-C, SIGTERM, a closed terminal, or the end of a pipe on standard input. After a kill, the next call with the same port
deletes it. An event whose forwarding fails is not sent again. DATA_DIR, ISSUER, AUDIENCE and the *_CLAIM variables must be
the same as those of npm start (docs/development.md).`;

const text = { type: 'string' } as const;
const OPTIONS = {
  port: { type: 'string', default: '4100' },
  forward: text,
  account: { type: 'string', default: 'acct_1' },
  url: text,
  help: { type: 'boolean', short: 'h' },
} as const;

const SUB = 'npm-run-listen';

const DESCRIPTION = 'npm run listen';

const printError = (line: string): void => console.error(printable(line));

const urlOf = (option: string, value: string): URL => {
  const url = URL.parse(value);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new CliError(`Expected ${option} to be an http or https URL, not ${value}.`, 2);
};

/** States what to do about the errors that a developer meets. */
const explain = (error: unknown, url: string): unknown => {
  if (!(error instanceof InvoicingError)) return error;
  const explanations: Readonly<Record<string, string>> = {
    'network-error': `No service runs at ${url}. Start it with npm start, or name its address with --url.`,
    unauthenticated: `The service at ${url} does not accept the token: use the DATA_DIR of npm start.`,
    'too-many-requests': `${error.problem?.detail} Try again in ${Number(error.retryAfter) / 1000} s.`,
    'too-many-webhook-endpoints': `${error.problem?.detail} Delete one, or choose another account with --account.`,
    'validation-failed': `The service at ${url} does not send to receivers on this machine: it is not a local service.`,
  };
  return new CliError(printable(explanations[error.code] ?? error.message));
};

const connect = async (url: string, account: string): Promise<Client<'v1'>> => {
  const issuer = await openIssuer(readStorage(process.env).directory);
  return createClient({ baseUrl: url, token: () => adminToken(issuer, account, SUB), retries: 0 });
};

const remove = (endpoints: Client<'v1'>['webhookEndpoints'], id: number): Promise<void> =>
  endpoints.delete(id).catch(({ message }) => printError(`The webhook endpoint ${id} was not deleted: ${message}`));

/**
 * This process has the port, so other endpoints with its URL belong to processes that have ended without a deletion.
 */
const removeEarlier = async (endpoints: Client<'v1'>['webhookEndpoints'], url: string): Promise<void> => {
  for await (const { id, ...endpoint } of endpoints.list({ limit: 100 })) {
    if (endpoint.url === url && endpoint.description === DESCRIPTION) await remove(endpoints, id);
  }
};

const listen = async (url: string, options: { port: number; forward: URL | undefined; account: string }) => {
  const { account } = options;
  const { setCleanup, begin } = onShutdown();
  onTerminalEnd(() => {
    printError('The terminal, or standard input, has ended.');
    void begin();
  });
  const style = styleOf(process.stdout);
  const { webhookEndpoints } = await connect(url, account);
  const { promise: secret, resolve } = Promise.withResolvers<string>();
  const receiver = await openReceiver({
    ...options,
    secret: () => secret,
    onEvent: (event, forwarded) => console.log(eventLine(event, style, forwarded)),
    onReject: (reason) => printError(`Rejected ${reason}`),
  });
  const creation = removeEarlier(webhookEndpoints, receiver.url).then(() =>
    webhookEndpoints.create({ url: receiver.url, description: DESCRIPTION }),
  );
  setCleanup(async () => {
    const created = await creation.catch(() => undefined);
    if (created) await remove(webhookEndpoints, created.id);
    await receiver.close();
  });
  const endpoint = await creation.catch((error) => {
    throw explain(error, url);
  });
  resolve(String(endpoint.secret));
  printError(`Listening to the events of ${account} at ${receiver.url}. Ctrl-C ends it.`);
  printError(`webhook endpoint ${endpoint.id}, secret ${endpoint.secret}`);
};

await run(async () => {
  const { help, port, forward, account, url } = parseOptions(process.argv.slice(2), OPTIONS, USAGE);
  if (help) return console.log(HELP);
  if (!ACCOUNT_ID.test(account)) throw new CliError(`Expected --account to be an account id, not ${account}.`, 2);
  const service = url === undefined ? `http://127.0.0.1:${portOf(process.env)}` : urlOf('--url', url).origin;
  const target = forward === undefined ? undefined : urlOf('--forward', forward);
  await listen(service, { port: parsePort('--port', port), forward: target, account });
});
