import { parseOptions } from './arguments.ts';
import { buildBundles, bundleRouter } from './bundles.ts';
import { claimsOf } from './claims.ts';
import { openDatabase } from './database.ts';
import type { RunningEngine } from './engine.ts';
import { fillEnvironment } from './environment.ts';
import { demoExamples, example } from './examples.ts';
import { Failure, run } from './failure.ts';
import { openGateway } from './gateway.ts';
import { type Issuer, openIssuer } from './issuer.ts';
import { apiOf } from './own-client.ts';
import { jwksEndpoint } from './own-endpoints.ts';
import { progress } from './progress.ts';
import { reloading } from './reload.ts';
import type { Router } from './router.ts';
import { seed } from './seed.ts';
import { BUNDLES, JWKS_PATH, portOf, SOURCES, storage } from './settings.ts';
import { onStop } from './stop.ts';

const USAGE = '--seed, --watch, --help or nothing';

const HELP = `Serves the whole API on this machine.

  npm start -- [--seed] [--watch]

  --seed   loads two demo accounts, acct_1 and acct_2, unless they are there
  --watch  builds and serves anew what is changed (npm run dev)

  PORT      where it listens: 3000 without it, 0 for any free port
  DATA_DIR  where data and the issuer's key are kept: .local without it; ":memory:" keeps no data

README.md names the other variables.`;

const GRACE_MS = 3000;
const A_DAY_S = 86_400;

/** Whose data the examples are about. */
const ACCOUNT = 'acct_1';
/** Who has made the demo data: nobody whom the conditional rules (§5) would keep from refunding a demo payment. */
const LOADER = 'demo-data';

const buildRouter = async (): Promise<Router> => bundleRouter(BUNDLES, await buildBundles(BUNDLES));

/** Without its engine the service can only fail, so it ends; returns what stops the engine on purpose. */
const endsWith = (engine: RunningEngine): (() => Promise<void>) => {
  let isWanted = true;
  void engine.ended.then(() => {
    if (!isWanted) return;
    console.error('The embedded DynamoDB has ended, and with it the service.');
    process.exit(1);
  });
  return () => {
    isWanted = false;
    return engine.stop();
  };
};

const withJwks = (router: Router, issuer: Issuer): Router => {
  const jwks = jwksEndpoint(issuer);
  return (method, path) => (path === JWKS_PATH ? jwks(method) : router(method, path));
};

type TokenOf = (account: string, sub: string) => Promise<string>;

/** An admin's tokens for a day; where another issuer is configured, tokens are its business. */
const tokensOf = (issuer: Issuer, url: string): TokenOf => {
  const isOurs = process.env['JWKS_URL'] === url + JWKS_PATH;
  return async (account, sub) =>
    isOurs
      ? issuer.sign(claimsOf({ account, sub, role: 'admin' }, A_DAY_S, process.env))
      : `<a token of ${process.env['ISSUER']}>`;
};

const seedOnce = async (router: Router, tokenOf: TokenOf, signal: AbortSignal): Promise<void> => {
  const start = performance.now();
  const show = (steps: number) => progress('Loading the demo accounts', steps);
  const isNew = await seed(router, (account) => tokenOf(account, LOADER), show, signal);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  if (signal.aborted) return;
  console.error(
    isNew ? `Demo accounts loaded in ${seconds} s.` : 'The demo accounts are there already: nothing is added.',
  );
};

interface Options {
  readonly watches: boolean;
  readonly seeds: boolean;
}

const serve = async ({ watches, seeds }: Options): Promise<void> => {
  const finish = onStop();
  const { directory, database } = storage(process.env);
  const { promise, resolve } = Promise.withResolvers<Router>();
  // The port first: a taken one is found before the slow work, and an early request waits instead of failing.
  const gateway = await openGateway(portOf(process.env), async (method, path) => (await promise)(method, path));
  fillEnvironment(process.env, gateway.url);
  const [issuer, engine, built] = await Promise.all([
    openIssuer(directory),
    openDatabase(process.env, database),
    buildRouter(),
  ]);
  const stopEngine = engine && endsWith(engine);
  const router = withJwks(watches ? reloading(built, buildRouter, SOURCES) : built, issuer);
  const tokenOf = tokensOf(issuer, gateway.url);
  const stopping = new AbortController();
  // Who seeds asks for the issuer's keys, as everyone who sends a token.
  resolve(router);
  const seeding = seeds ? seedOnce(router, tokenOf, stopping.signal) : undefined;
  finish(async () => {
    stopping.abort();
    await seeding;
    await gateway.close(GRACE_MS);
    await stopEngine?.();
  });
  await seeding;
  if (stopping.signal.aborted) return;
  const token = await tokenOf(ACCOUNT, 'user_1');
  const { url } = gateway;
  console.log(`ready ${url}\n${seeds ? await demoExamples(url, token, apiOf(router, token)) : example(url, token)}`);
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
    throw new Failure('--seed expects the local issuer to sign its tokens: leave JWKS_URL unset.', 2);
  }
  await serve({ watches, seeds });
});
