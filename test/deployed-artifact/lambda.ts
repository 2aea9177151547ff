import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { nodeOptions } from '#shared/runtime/defaults.ts';
import { startRuntimeApi } from './runtime-api.ts';

/** The configuration of a function in the template. */
export interface FunctionConfiguration {
  readonly name: string;
  /** The directory that is deployed. */
  readonly code: string;
  readonly handler: string;
  readonly seconds: number;
  readonly memory: number;
  readonly logFormat: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The credentials of its role. */
  readonly keys: Readonly<Record<string, string>>;
}

/** One instance of a function. */
export interface Lambda {
  /**
   * Invokes it with any event.
   * @throws Error when its code cannot be loaded, it throws, or its time runs out; the message holds its log
   */
  invoke(event: unknown): Promise<unknown>;
  /** Its output so far. */
  log(): string;
  stop(): Promise<void>;
}

/** Lambda's runtime client, installed apart from the project because it brings 62 packages. */
const findClient = (): string => {
  try {
    return createRequire(new URL('runtime-client/package.json', import.meta.url)).resolve('aws-lambda-ric');
  } catch {
    throw new Error('aws-lambda-ric is not installed: run npm run test:artifact, which installs it.');
  }
};

const CLIENT = findClient();
const HOOK = fileURLToPath(new URL('native-hook.mjs', import.meta.url));

/** The variables that Lambda sets for every function (docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html). */
const reserved = ({ name, code, handler, memory, logFormat, keys }: FunctionConfiguration, address: string) => ({
  ...keys,
  _HANDLER: handler,
  AWS_LAMBDA_RUNTIME_API: address,
  LAMBDA_TASK_ROOT: code,
  LAMBDA_RUNTIME_DIR: '/var/runtime',
  AWS_REGION: 'eu-central-1',
  AWS_DEFAULT_REGION: 'eu-central-1',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/21/[$LATEST]0',
  AWS_LAMBDA_LOG_FORMAT: logFormat,
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
  PATH: '/usr/local/bin:/usr/bin/:/bin:/opt/bin',
});

/** Starts Lambda's own runtime client for a function, in a process with only the variables that Lambda would set. */
export const startLambda = async (configuration: FunctionConfiguration): Promise<Lambda> => {
  const api = await startRuntimeApi();
  const { name, code, seconds, memory, variables } = configuration;
  const child = spawn(process.execPath, [...nodeOptions(memory), '--import', HOOK, CLIENT], {
    cwd: code,
    env: { ...variables, ...reserved(configuration, api.address) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  const closed = once(child, 'close').then(([exit, signal]) =>
    api.end(new Error(`Runtime.ExitError: ${exit ?? signal}`)),
  );
  const invoke: Lambda['invoke'] = async (event) => {
    const timeout = setTimeout(() => {
      api.end(new Error(`Task timed out after ${seconds} seconds`));
      child.kill('SIGKILL');
    }, seconds * 1000);
    try {
      return await api.invoke(event, seconds * 1000);
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}\n${log}`);
    } finally {
      clearTimeout(timeout);
    }
  };
  const stop = async () => {
    child.kill('SIGKILL');
    await closed;
    api.close();
  };
  return { invoke, log: () => log, stop };
};
