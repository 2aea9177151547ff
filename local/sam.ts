import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildBundles, functionsOf } from '#local/bundles/bundles.ts';
import { example } from '#local/demo/examples.ts';
import { forwardPort, fromContainer, gatewayOf, isLoopback } from '#local/engines/containers.ts';
import { openEngines } from '#local/engines/engines.ts';
import { HOST } from '#local/engines/guards/origin.ts';
import { fillEnvironment } from '#local/environment.ts';
import { type Issuer, openIssuer } from '#local/issuer/issuer.ts';
import { adminToken } from '#local/issuer/tokens.ts';
import { BUNDLES, portOf, storage } from '#local/settings/settings.ts';
import { openWorkers } from '#local/workers/workers.ts';
import type { Environment } from '#shared/lambda/settings.ts';
import { CliError, run } from './cli/cli-error.ts';

/*
 * npm run sam: the deployed template under `sam local start-api`, on the engines and the issuer of this machine.
 * Arguments go on to sam.
 */

const ROOT = dirname(BUNDLES);
const GRACE_MS = 3000;
const OUT = join(ROOT, 'cdk.out.sam');
const TEMPLATE = join(OUT, 'invoicing-dev.template.json');
const VARIABLES = join(OUT, 'variables.json');

/** The bundles by their own paths, so that a new build is picked up, for this machine's processor. */
const SYNTH = ['synth', '--quiet', '--no-staging', '--output', OUT, '-c', 'stage=dev', '-c', 'arch=host'];

/** @throws Failure when there is none */
const findSam = (): void => {
  if (!spawnSync('sam', ['--version'], { stdio: 'ignore' }).error) return;
  throw new CliError('npm run sam takes the AWS SAM CLI, but there is no sam on the PATH (see docs/sam-local.md).');
};

/** @throws Failure when CDK does not write the template; it has said why */
const synthesize = async (): Promise<void> => {
  const cdk = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');
  const [code] = await once(spawn(process.execPath, [cdk, ...SYNTH], { cwd: ROOT, stdio: 'inherit' }), 'close');
  if (code !== 0) throw new CliError('The template was not synthesized.');
};

interface Template {
  readonly Resources: Readonly<Record<string, { Properties?: { Environment?: { Variables?: object } } }>>;
}

type Variables = readonly (readonly [name: string, value: string])[];

/** sam sets only variables that the template declares: those of them that this machine's environment has a value for. */
const variablesOf = ({ Resources }: Template, environment: Environment): Variables => {
  const declared = Object.values(Resources).flatMap((one) => Object.keys(one.Properties?.Environment?.Variables ?? {}));
  return [...new Set(declared)].flatMap((name) => {
    const value = environment[name];
    return value ? [[name, value] as const] : [];
  });
};

/** Whether a variable holds what a function connects to. */
const isAddress = (name: string): boolean => /_URL(_|$)/.test(name);

/** Where on the loopback the functions connect to. */
const portsOf = (variables: Variables): number[] => {
  const urls = variables
    .filter(([name, value]) => isAddress(name) && isLoopback(value))
    .map(([, value]) => new URL(value));
  return [...new Set(urls.map(({ port }) => Number(port)))];
};

const writeVariables = async (variables: Variables): Promise<void> => {
  const seen = variables.map(([name, value]) => [name, isAddress(name) ? fromContainer(value) : value]);
  await writeFile(VARIABLES, JSON.stringify({ Parameters: Object.fromEntries(seen) }, undefined, 2));
};

/** The containers' functions take this machine's tokens without asking for the key. */
const useIssuer = (environment: NodeJS.ProcessEnv, { keys }: Issuer): boolean => {
  if (environment['JWKS_URL']) return false;
  environment['JWKS_URL'] = `data:application/json,${encodeURIComponent(JSON.stringify(keys))}`;
  return true;
};

const startApi = (port: number): ChildProcess => {
  const given = ['--template', TEMPLATE, '--env-vars', VARIABLES, '--port', String(port)];
  const usual = ['--add-host', `${HOST}:host-gateway`, '--warm-containers', 'LAZY'];
  const args = ['local', 'start-api', ...given, ...usual, ...process.argv.slice(2)];
  return spawn('sam', args, { cwd: ROOT, stdio: 'inherit' });
};

/** Waits for sam to end; Ctrl-C reaches it by itself, and it removes its containers before it goes. */
const ended = async (sam: ChildProcess): Promise<number> => {
  process.on('SIGINT', () => {}).on('SIGTERM', () => sam.kill('SIGINT'));
  const [code] = await once(sam, 'close');
  return (code as number | null) ?? 1;
};

await run(async () => {
  findSam();
  const gateway = await gatewayOf();
  const port = portOf(process.env);
  const kept = storage(process.env);
  const issuer = await openIssuer(kept.directory);
  const isOurs = useIssuer(process.env, issuer);
  const url = `http://127.0.0.1:${port}`;
  fillEnvironment(process.env, url);
  await synthesize();
  const engines = await openEngines(process.env, kept);
  const built = functionsOf(BUNDLES, await buildBundles(BUNDLES));
  const begin = await openWorkers(process.env, built.workers, engines.isQueueEmbedded);
  const variables = variablesOf(JSON.parse(await readFile(TEMPLATE, 'utf8')), process.env);
  await writeVariables(variables);
  const doors = gateway ? await Promise.all(portsOf(variables).map((each) => forwardPort(gateway, each))) : [];
  // sam has neither queues nor a clock: the workers run here, from the same bundles.
  const workers = begin(async () => built);
  console.log(example(url, await adminToken(isOurs ? issuer : undefined, 'acct_1', 'user_1')));
  process.exitCode = await ended(startApi(port));
  for (const door of doors) door?.close();
  await workers.stop(GRACE_MS);
  await engines.stop();
});
