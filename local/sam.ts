import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openApp } from '#local/app.ts';
import { example } from '#local/demo/examples.ts';
import { findDockerGateway, forwardPort, fromContainer, isLoopback } from '#local/engines/containers.ts';
import { openEngines } from '#local/engines/engines.ts';
import { CONTAINER_HOST } from '#local/engines/fauxqs/access.ts';
import { fillEnvironment } from '#local/environment.ts';
import { type Issuer, openIssuer } from '#local/issuer/issuer.ts';
import { adminToken } from '#local/issuer/tokens.ts';
import { openStorage } from '#local/settings/private-files.ts';
import { portOf, ROOT } from '#local/settings/settings.ts';
import { openWorkers } from '#local/workers/workers.ts';
import type { Environment } from '#shared/runtime/settings.ts';
import { clients } from '#shared/runtime/worker-runtime.ts';
import { CliError, run } from './cli/cli-error.ts';

/*
 * npm run sam: runs the template under `sam local start-api`, with the local engines and the local issuer. It passes
 * its arguments to sam.
 */

const GRACE_MS = 3000;
const OUT = join(ROOT, 'cdk.out.sam');
const TEMPLATE = join(OUT, 'invoicing-dev.template.json');
/** The templates of nested stacks, which contain the functions. */
const NESTED_TEMPLATE = /\.nested\.template\.json$/;
const VARIABLES = join(OUT, 'variables.json');

/** Refers to `dist/` instead of copies, so that sam uses a new build; for the architecture of this machine. */
const SYNTH = ['synth', '--quiet', '--no-staging', '--output', OUT, '-c', 'stage=dev', '-c', 'arch=host'];

const requireSam = (): void => {
  if (!spawnSync('sam', ['--version'], { stdio: 'ignore' }).error) return;
  throw new CliError('npm run sam needs the AWS SAM CLI, but sam is not on the PATH (see docs/engines.md).');
};

const synthesize = async (): Promise<void> => {
  const cdk = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');
  const [code] = await once(spawn(process.execPath, [cdk, ...SYNTH], { cwd: ROOT, stdio: 'inherit' }), 'close');
  if (code !== 0) throw new CliError('CDK did not write the template: its error is above.');
};

interface Template {
  readonly Resources: Readonly<Record<string, { Properties?: { Environment?: { Variables?: object } } }>>;
}

type Variables = readonly (readonly [name: string, value: string])[];

const readTemplates = async (): Promise<Template[]> => {
  const names = (await readdir(OUT)).filter((name) => NESTED_TEMPLATE.test(name));
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(OUT, name), 'utf8'))));
};

/** sam sets only variables that a template declares, so this function selects the variables with a value. */
const variablesOf = (templates: readonly Template[], environment: Environment): Variables => {
  const declared = templates
    .flatMap(({ Resources }) => Object.values(Resources))
    .flatMap((one) => Object.keys(one.Properties?.Environment?.Variables ?? {}));
  return [...new Set(declared)].flatMap((name) => {
    const value = environment[name];
    return value ? [[name, value] as const] : [];
  });
};

const isAddress = (name: string): boolean => /_URL(_|$)/.test(name);

/** The addresses on this machine, each once. */
const localAddresses = (variables: Variables): URL[] => {
  const urls = variables
    .filter(([name, value]) => isAddress(name) && isLoopback(value))
    .map(([, value]) => new URL(value));
  return [...new Map(urls.map((url) => [url.port, url])).values()];
};

const writeVariables = async (variables: Variables): Promise<void> => {
  const parameters = variables.map(([name, value]) => [name, isAddress(name) ? fromContainer(value) : value]);
  await writeFile(VARIABLES, JSON.stringify({ Parameters: Object.fromEntries(parameters) }, undefined, 2));
};

/** Makes the functions in the containers accept local tokens: they get the keys themselves instead of their URL. */
const useIssuer = (environment: NodeJS.ProcessEnv, { keys }: Issuer): boolean => {
  if (environment['JWKS_URL']) return false;
  environment['JWKS_URL'] = `data:application/json,${encodeURIComponent(JSON.stringify(keys))}`;
  return true;
};

const startApi = (port: number): ChildProcess => {
  const files = ['--template', TEMPLATE, '--env-vars', VARIABLES, '--port', String(port)];
  const containers = ['--add-host', `${CONTAINER_HOST}:host-gateway`, '--warm-containers', 'LAZY'];
  const args = ['local', 'start-api', ...files, ...containers, ...process.argv.slice(2)];
  return spawn('sam', args, { cwd: ROOT, stdio: 'inherit' });
};

/** Waits for sam to exit. Ctrl-C also reaches sam, which then removes its containers. */
const waitForExit = async (sam: ChildProcess): Promise<number> => {
  process.on('SIGINT', () => {}).on('SIGTERM', () => sam.kill('SIGINT'));
  const [code] = await once(sam, 'close');
  return (code as number | null) ?? 1;
};

await run(async () => {
  requireSam();
  const gateway = await findDockerGateway();
  const port = portOf(process.env);
  const storage = await openStorage(process.env);
  const issuer = await openIssuer(storage.directory);
  const usesLocalIssuer = useIssuer(process.env, issuer);
  const url = `http://127.0.0.1:${port}`;
  fillEnvironment(process.env, url);
  await synthesize();
  const engines = await openEngines(process.env, storage);
  const startWorkers = await openWorkers(process.env, engines.isQueueEmbedded);
  const variables = variablesOf(await readTemplates(), process.env);
  await writeVariables(variables);
  const forwarders = gateway
    ? await Promise.all(localAddresses(variables).map((url) => forwardPort(gateway, url)))
    : [];
  // sam has no queues and no schedules, so the workers run in this process.
  const workers = startWorkers(openApp({ environment: process.env, clients: clients() }).work);
  console.log(example(url, await adminToken(usesLocalIssuer ? issuer : undefined, 'acct_1', 'user_1')));
  process.exitCode = await waitForExit(startApi(port));
  for (const forwarder of forwarders) forwarder?.close();
  await workers.stop(GRACE_MS);
  await engines.stop();
});
