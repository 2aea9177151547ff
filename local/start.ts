import { buildBundles, type Functions, functionsOf } from './bundles/bundles.ts';
import { reloading } from './bundles/reload.ts';
import { parseOptions } from './cli/arguments.ts';
import { CliError, run } from './cli/cli-error.ts';
import { onShutdown } from './cli/shutdown.ts';
import { openEngines } from './engines/engines.ts';
import { fillEnvironment } from './environment.ts';
import { openGateway } from './gateway/gateway.ts';
import type { Router } from './gateway/invoke.ts';
import { withLocalEndpoints } from './gateway/local-endpoints.ts';
import { openIssuer } from './issuer/issuer.ts';
import { BUNDLES, portOf, SOURCES, storage } from './settings/settings.ts';
import { startupMessage } from './startup-message.ts';
import { openWorkers } from './workers/workers.ts';

const USAGE = '--seed, --watch, --help or nothing';

const HELP = `Serves the whole API on this machine.

  npm start -- [--seed] [--watch]

  --seed   loads two demo accounts, acct_1 and acct_2, unless they are there
  --watch  builds and serves anew what is changed (npm run dev)

  PORT      where it listens: 3000 without it, 0 for any free port
  DATA_DIR  where data and the issuer's key are kept: .local without it; ":memory:" keeps no data

docs/configuration.md lists the other variables.`;

const GRACE_MS = 3000;

const build = async (): Promise<Functions> => functionsOf(BUNDLES, await buildBundles(BUNDLES));

/** Without its engines the service can only fail, so it ends. */
const endWith = (why: string): never => {
  console.error(why);
  process.exit(1);
};

const serve = async ({ watches, seeds }: { watches: boolean; seeds: boolean }): Promise<void> => {
  const finish = onShutdown();
  const kept = storage(process.env);
  const { promise, resolve } = Promise.withResolvers<Router>();
  // The port first: a taken one is found before the slow work, and an early request waits instead of failing.
  const gateway = await openGateway(portOf(process.env), async (method, path) => (await promise)(method, path));
  const { url } = gateway;
  fillEnvironment(process.env, url);
  const [issuer, engines, built] = await Promise.all([
    openIssuer(kept.directory),
    openEngines(process.env, kept),
    build(),
  ]);
  const begin = await openWorkers(process.env, built.workers, engines.isQueueEmbedded);
  const newest = watches ? reloading(built, build, SOURCES) : async () => built;
  const router = await withLocalEndpoints(async (method, path) => (await newest()).route(method, path), issuer, url);
  resolve(router);
  const workers = begin(newest);
  const stopping = new AbortController();
  const greeted = startupMessage({ router, issuer, url, seeds, signal: stopping.signal });
  finish(async () => {
    stopping.abort();
    await greeted;
    await Promise.all([gateway.close(GRACE_MS), workers.stop(GRACE_MS)]);
    await engines.stop();
  });
  void engines.ended.then(endWith);
  const requests = await greeted;
  if (!stopping.signal.aborted) console.log(`ready ${url}\n${requests}`);
};

await run(async () => {
  const options = {
    seed: { type: 'boolean' },
    watch: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { seed: seeds = false, watch: watches = false, help } = parseOptions(process.argv.slice(2), options, USAGE);
  if (help) return console.log(HELP);
  if (seeds && process.env['JWKS_URL']) {
    throw new CliError('--seed expects the local issuer to sign its tokens: leave JWKS_URL unset.', 2);
  }
  await serve({ watches, seeds });
});
