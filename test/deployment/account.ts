import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, type RunningCommand, run } from '../local/command.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const START_MS = 60_000;

/** An AWS account that MiniStack emulates on this machine (account.py). */
export interface Account {
  /** For the AWS SDKs, the AWS CLI and the CDK CLI. */
  readonly environment: Readonly<Record<string, string>>;
  /** The environment of `cdk bootstrap`: `aws://<account>/<region>`. */
  readonly name: string;
  /** The address of its only HTTP API. */
  readonly url: string;
  /** Whether each request needs the permission of a policy, as on AWS; a deployment must be without. */
  enforceIam(isEnforced: boolean): Promise<void>;
  /** The calls that the policies of roles have allowed while IAM was enforced. */
  allowed(): Promise<readonly (readonly [role: string, action: string, resource: string])[]>;
  stop(): Promise<void>;
}

/** Installs MiniStack, with the versions and hashes of requirements.txt. */
const install = async (directory: string): Promise<string> => {
  const venv = join(directory, 'venv');
  rmSync(venv, { recursive: true, force: true });
  await runOrThrow(FOLDER, ['-m', 'venv', venv], {}, 'python3');
  const python = join(venv, 'bin/python');
  const requirements = ['--require-hashes', '--requirement', 'requirements.txt'];
  await runOrThrow(
    FOLDER,
    ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements],
    {},
    python,
  );
  return python;
};

/** @throws Error with the output of a command that fails */
export const runOrThrow = async (...command: Parameters<typeof run>): Promise<string> => {
  const running = run(...command);
  const code = await running.end();
  if (code !== 0) throw new Error(`${command[1].join(' ')}: ${code}\n${running.out.stdout}\n${running.out.stderr}`);
  return running.out.stdout + running.out.stderr;
};

const untilHealthy = async (url: string, { child, out }: RunningCommand): Promise<void> => {
  for (const until = Date.now() + START_MS; Date.now() < until; await sleep(100)) {
    if (child.exitCode !== null) break;
    const response = await fetch(`${url}/_ministack/health`).catch(() => undefined);
    if (response?.ok) return;
  }
  child.kill('SIGKILL');
  throw new Error(`MiniStack does not start.\n${out.stdout}\n${out.stderr}`);
};

/** @param directory for its packages */
export const openAccount = async (directory: string): Promise<Account> => {
  const python = await install(directory);
  const [port, apiPort] = [await freePort(), await freePort()];
  const region = 'eu-central-1';
  const number = '123456789012';
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: url,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    // The AWS CLI.
    PATH: `${join(directory, 'venv/bin')}:${process.env['PATH']}`,
  };
  const settings = {
    GATEWAY_PORT: String(port),
    API_PORT: String(apiPort),
    MINISTACK_ACCOUNT_ID: number,
    MINISTACK_REGION: region,
    // MiniStack runs the functions with the first `node` on the PATH.
    PATH: `${fileURLToPath(new URL('../../node_modules/.bin', import.meta.url))}:${process.env['PATH']}`,
  };
  const running = run(FOLDER, ['account.py'], { ...environment, ...settings }, python);
  await untilHealthy(url, running);
  return {
    environment,
    name: `aws://${number}/${region}`,
    url: `http://127.0.0.1:${apiPort}`,
    enforceIam: async (isEnforced) => {
      await fetch(`${url}/_account/iam`, { method: isEnforced ? 'PUT' : 'DELETE' });
    },
    allowed: async () => (await fetch(`${url}/_account/used`)).json() as ReturnType<Account['allowed']>,
    stop: async () => {
      running.child.kill('SIGTERM');
      await running.end();
    },
  };
};
