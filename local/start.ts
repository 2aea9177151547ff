import { buildBundles, type Functions, functionsOf } from './bundles/bundles.ts';
import { onInputChange } from './bundles/inputs.ts';
import { reloadOnChange } from './bundles/reload.ts';
import { parseOptions } from './cli/arguments.ts';
import { CliError, run } from './cli/cli-error.ts';
import { onShutdown } from './cli/shutdown.ts';
import { openEngines } from './engines/engines.ts';
import { LOCAL_LIMITS } from './engines/limits/settings.ts';
import { fillEnvironment } from './environment.ts';
import { openGateway } from './gateway/gateway.ts';
import type { Router } from './gateway/invoke.ts';
import { withLocalEndpoints } from './gateway/local-endpoints.ts';
import { openIssuer } from './issuer/issuer.ts';
import { showLogs } from './logs/terminal.ts';
import { openStorage } from './settings/private-files.ts';
import { BUNDLES, portOf, ROOT } from './settings/settings.ts';
import { printReady } from './startup-message.ts';
import { openWorkers } from './workers/workers.ts';

const USAGE = 'npm start -- [--seed] [--watch] [--limits] [--help]';

const HELP = `Serves the API on this machine.

  ${USAGE}

  --seed    loads the demo accounts acct_1 and acct_2, unless they exist
  --watch   builds and reloads changed code (the same as npm run dev)
  --limits  refuses and delays requests to DynamoDB as AWS does, at a fiftieth of its throughput (docs/engines.md)

Environment variables:
  PORT      port of the server (default: 3000; 0 selects a free port)
  DATA_DIR  directory of the data and of the issuer's key (default: .local; ":memory:" stores no data)

docs/configuration.md lists the other variables.`;

const GRACE_MS = 3000;

const build = async (): Promise<Functions> =>
  functionsOf(BUNDLES, await buildBundles(BUNDLES, (count) => console.error(`Building ${count} functions …`)));

/** Starts the first build. */
const startBuild = (watches: boolean): (() => Promise<Functions>) => {
  if (watches) return reloadOnChange(build, (changed) => onInputChange(ROOT, changed));
  const only = build();
  return () => only;
};

const exitWith = (message: string): never => {
  console.error(message);
  process.exit(1);
};

const prepareEnvironment = (url: string): void => {
  showLogs(process.env);
  for (const warning of fillEnvironment(process.env, url)) console.error(warning);
};

interface Options {
  readonly watches: boolean;
  readonly seeds: boolean;
  readonly hasLimits: boolean;
}

const serve = async ({ watches, seeds, hasLimits }: Options): Promise<void> => {
  const setCleanup = onShutdown();
  const storage = await openStorage(process.env);
  const { promise: ready, resolve } = Promise.withResolvers<Router>();
  // Opens the port first: a taken port fails before the slow work, and early requests wait instead of failing.
  const gateway = await openGateway(portOf(process.env), async (method, path) => (await ready)(method, path));
  const { url } = gateway;
  prepareEnvironment(url);
  const currentBuild = startBuild(watches);
  const [issuer, engines, firstBuild] = await Promise.all([
    openIssuer(storage.directory),
    openEngines(process.env, storage, hasLimits ? LOCAL_LIMITS : undefined),
    currentBuild(),
  ]);
  const startWorkers = await openWorkers(process.env, firstBuild.workers, engines.isQueueEmbedded);
  const route: Router = async (method, path) => (await currentBuild()).route(method, path);
  const router = await withLocalEndpoints(route, issuer, url);
  resolve(router);
  // The consumers of queues wait until the demo data is loaded: the load would call the webhooks of the demo accounts.
  const { promise: loaded, resolve: onLoaded } = Promise.withResolvers<void>();
  const workers = startWorkers(currentBuild, loaded);
  const stopping = new AbortController();
  const { signal } = stopping;
  const startup = printReady({ router, issuer, url, directory: storage.directory, loadsDemo: seeds, onLoaded, signal });
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
    watch: { type: 'boolean' },
    limits: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const given = parseOptions(process.argv.slice(2), options, USAGE);
  const { seed: seeds = false, watch: watches = false, limits: hasLimits = false, help } = given;
  if (help) return console.log(HELP);
  if (seeds && process.env['JWKS_URL']) {
    throw new CliError('--seed needs tokens of the local issuer: unset JWKS_URL.', 2);
  }
  if (hasLimits && process.env['AWS_ENDPOINT_URL_DYNAMODB']) {
    throw new CliError('--limits needs the embedded DynamoDB: unset AWS_ENDPOINT_URL_DYNAMODB.', 2);
  }
  await serve({ watches, seeds, hasLimits });
});
