import { parseOptions } from './arguments.ts';
import { buildBundles, bundleRouter } from './bundles.ts';
import { claimsOf } from './claims.ts';
import { openDatabase } from './database.ts';
import type { RunningEngine } from './engine.ts';
import { fillEnvironment } from './environment.ts';
import { run } from './failure.ts';
import { openGateway } from './gateway.ts';
import { type Issuer, openIssuer } from './issuer.ts';
import { withOwn } from './own-endpoints.ts';
import { reloading } from './reload.ts';
import type { Router } from './router.ts';
import { BUNDLES, JWKS_PATH, portOf, SOURCES, storage } from './settings.ts';
import { onStop } from './stop.ts';

const GRACE_MS = 3000;
const A_DAY_S = 86_400;

const buildRouter = async (): Promise<Router> => bundleRouter(BUNDLES, await buildBundles(BUNDLES));

/** A first request to the service, ready to paste; its token is another issuer's business where one is configured. */
const example = async (url: string, issuer: Issuer): Promise<string> => {
  const isOurs = process.env['JWKS_URL'] === url + JWKS_PATH;
  const claims = claimsOf({ account: 'acct_1', sub: 'user_1', role: 'admin' }, A_DAY_S, process.env);
  const token = isOurs ? await issuer.sign(claims) : `<a token of ${process.env['ISSUER']}>`;
  return `curl ${url}/v1/invoices -H 'Authorization: Bearer ${token}'`;
};

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
  resolve(withOwn(watches ? reloading(built, buildRouter, SOURCES) : built, issuer, gateway.url));
  console.log(`ready ${gateway.url}\n${await example(gateway.url, issuer)}`);
};

await run(async () => {
  const { watch = false } = parseOptions(process.argv.slice(2), { watch: { type: 'boolean' } }, '--watch or nothing');
  await serve(watch);
});
