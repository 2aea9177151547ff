import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'chokidar';
import { isWrittenByBuild } from '#infra/build/site.ts';
import { ROOT } from './settings/settings.ts';

/*
 * npm run dev: runs npm start, and restarts it after each change of an input. `node --watch` would lose a file that an
 * editor saves under another name and then renames, and would not see the guides.
 */

const INPUTS = ['functions', 'shared', 'local', 'infra/build', 'CHANGELOG.md', 'docs', 'client/source', 'package.json'];
/** Excludes the temporary files of editors. */
const EXTENSIONS = /\.(ts|js|mjs|vue|css|svg|md|json)$/;
/** One save by an editor causes several events. */
const SETTLE_MS = 50;

/** The exit code of a command with a wrong option or setting, which no change of a file repairs. */
const WRONG_USAGE = 2;

const start = (): ChildProcess => {
  const args = [...process.execArgv, 'local/start.ts', ...process.argv.slice(2)];
  return spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).once('exit', (code) => {
    if (code === WRONG_USAGE) process.exit(code);
  });
};

let server = start();
let isStopping = false;

const end = async (signal: NodeJS.Signals): Promise<void> => {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill(signal);
  await once(server, 'exit');
};

let restart = Promise.resolve();
let timer: NodeJS.Timeout | undefined;
const onChange = () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    restart = restart.then(async () => {
      await end('SIGTERM');
      if (!isStopping) server = start();
    });
  }, SETTLE_MS);
};

const watcher = watch(INPUTS, {
  cwd: ROOT,
  ignoreInitial: true,
  ignored: (path, stats) => isWrittenByBuild(path) || (stats?.isFile() === true && !EXTENSIONS.test(path)),
}).on('all', onChange);

const stop = async (signal: NodeJS.Signals): Promise<void> => {
  isStopping = true;
  clearTimeout(timer);
  await Promise.all([watcher.close(), restart]);
  await end(signal);
  process.exitCode = server.exitCode ?? 1;
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop(signal));
