import { parseOptions } from './arguments.ts';
import { buildBundles, type Functions, functionsOf } from './bundles.ts';
import { openEngines } from './engines.ts';
import { fillEnvironment } from './environment.ts';
import { example } from './example.ts';
import { run } from './failure.ts';
import { openGateway } from './gateway.ts';
import { openIssuer } from './issuer.ts';
import { withOwn } from './own-endpoints.ts';
import { reloading } from './reload.ts';
import type { Router } from './router.ts';
import { BUNDLES, JWKS_PATH, portOf, SOURCES, storage } from './settings.ts';
import { onStop } from './stop.ts';
import { openWorkers } from './workers.ts';

const GRACE_MS = 3000;

const build = async (): Promise<Functions> => functionsOf(BUNDLES, await buildBundles(BUNDLES));

/** Without its engines the service can only fail, so it ends. */
const endWith = (why: string): never => {
  console.error(why);
  process.exit(1);
};

const serve = async (watches: boolean): Promise<void> => {
  const finish = onStop();
  const kept = storage(process.env);
  const { promise, resolve } = Promise.withResolvers<Router>();
  // The port first: a taken one is found before the slow work, and an early request waits instead of failing.
  const gateway = await openGateway(portOf(process.env), async (method, path) => (await promise)(method, path));
  fillEnvironment(process.env, gateway.url);
  const [issuer, engines, built] = await Promise.all([
    openIssuer(kept.directory),
    openEngines(process.env, kept),
    build(),
  ]);
  const begin = await openWorkers(process.env, built.workers, engines.isQueueEmbedded);
  const newest = watches ? reloading(built, build, SOURCES) : async () => built;
  resolve(withOwn(async (method, path) => (await newest()).route(method, path), issuer, gateway.url));
  const workers = begin(newest);
  finish(async () => {
    await gateway.close(GRACE_MS);
    await workers.stop(GRACE_MS);
    await engines.stop();
  });
  void engines.ended.then(endWith);
  const isOurs = process.env['JWKS_URL'] === gateway.url + JWKS_PATH;
  console.log(`ready ${gateway.url}\n${await example(gateway.url, isOurs ? issuer : undefined)}`);
};

await run(async () => {
  const { watch = false } = parseOptions(process.argv.slice(2), { watch: { type: 'boolean' } }, '--watch or nothing');
  await serve(watch);
});
