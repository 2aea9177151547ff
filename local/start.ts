import { clients } from '#shared/runtime/worker-runtime.ts';
import { openApp } from './app.ts';
import { parseOptions } from './cli/arguments.ts';
import { CliError, run } from './cli/cli-error.ts';
import { onShutdown } from './cli/shutdown.ts';
import { openEngines } from './engines/engines.ts';
import { fillEnvironment } from './environment.ts';
import { openGateway } from './gateway/gateway.ts';
import type { Handle } from './gateway/handle.ts';
import { localEndpoints } from './gateway/local-endpoints.ts';
import { openIssuer, temporaryIssuer } from './issuer/issuer.ts';
import { explainUnknownKeys } from './issuer/unknown-keys.ts';
import { showLogs } from './logs/terminal.ts';
import { openStorage } from './settings/private-files.ts';
import { portOf } from './settings/settings.ts';
import { printReady } from './startup-message.ts';
import { openWorkers } from './workers/workers.ts';

const USAGE = 'npm start -- [--seed] [--help]';

const HELP = `Serves the API on this machine.

  ${USAGE}

  --seed  loads the demo accounts acct_1 and acct_2, unless they exist

Environment variables:
  PORT      port of the server (default: 3000; 0 selects a free port)
  DATA_DIR  directory of the data and of the issuer's key (default: .local; ":memory:" stores no data)

docs/development.md lists the other variables.`;

const GRACE_MS = 3000;

const exitWith = (message: string): never => {
  console.error(message);
  process.exit(1);
};

const prepareEnvironment = (url: string): void => {
  showLogs(process.env);
  for (const warning of fillEnvironment(process.env, url)) console.error(warning);
};

const serve = async (seeds: boolean): Promise<void> => {
  const { setCleanup } = onShutdown();
  const storage = await openStorage(process.env);
  const { promise: ready, resolve } = Promise.withResolvers<Handle>();
  // Opens the port first: a taken port fails before the slow work, and early requests wait instead of failing.
  const gateway = await openGateway(portOf(process.env), async (received) => (await ready)(received));
  const { url } = gateway;
  prepareEnvironment(url);
  const [issuer, engines] = await Promise.all([openIssuer(storage.directory), openEngines(process.env, storage)]);
  const startWorkers = await openWorkers(process.env, engines.isQueueEmbedded);
  const pageIssuer = await temporaryIssuer();
  const local = localEndpoints(issuer, pageIssuer, url, process.env);
  const app = openApp({ environment: process.env, clients: clients(), local });
  const { handle } = app;
  resolve(explainUnknownKeys(handle, [issuer, pageIssuer]));
  // The consumers of queues wait until the demo data is loaded: the load would call the webhooks of the demo accounts.
  const { promise: loaded, resolve: onLoaded } = Promise.withResolvers<void>();
  const workers = startWorkers(app.work, loaded);
  const stopping = new AbortController();
  const { signal } = stopping;
  const startup = printReady({ handle, issuer, url, directory: storage.directory, loadsDemo: seeds, onLoaded, signal });
  setCleanup(async () => {
    stopping.abort();
    await startup;
    await Promise.all([gateway.close(GRACE_MS), workers.stop(GRACE_MS)]);
    await engines.stop();
  });
  void engines.ended.then(exitWith);
  await startup;
};

await run(async () => {
  const options = {
    seed: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { seed: seeds = false, help } = parseOptions(process.argv.slice(2), options, USAGE);
  if (help) return console.log(HELP);
  if (seeds && process.env['JWKS_URL']) {
    throw new CliError('--seed needs tokens of the local issuer: unset JWKS_URL.', 2);
  }
  await serve(seeds);
});
