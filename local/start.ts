import { parseOptions } from './arguments.ts';
import { buildBundles, bundleRouter } from './bundles.ts';
import { openDatabase } from './database.ts';
import type { RunningEngine } from './engine.ts';
import { fillEnvironment } from './environment.ts';
import { example } from './example.ts';
import { run } from './failure.ts';
import { openGateway } from './gateway.ts';
import { type Issuer, openIssuer } from './issuer.ts';
import { jwksEndpoint } from './own-endpoints.ts';
import { reloading } from './reload.ts';
import type { Router } from './router.ts';
import { BUNDLES, JWKS_PATH, portOf, SOURCES, storage } from './settings.ts';
import { onStop } from './stop.ts';

const GRACE_MS = 3000;

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

const serve = async (watches: boolean): Promise<void> => {
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
  finish(async () => {
    await gateway.close(GRACE_MS);
    await stopEngine?.();
  });
  resolve(withJwks(watches ? reloading(built, buildRouter, SOURCES) : built, issuer));
  const isOurs = process.env['JWKS_URL'] === gateway.url + JWKS_PATH;
  console.log(`ready ${gateway.url}\n${await example(gateway.url, isOurs ? issuer : undefined)}`);
};

await run(async () => {
  const { watch = false } = parseOptions(process.argv.slice(2), { watch: { type: 'boolean' } }, '--watch or nothing');
  await serve(watch);
});
