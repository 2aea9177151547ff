import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '#local/settings/settings.ts';
import { type Fault, faults } from './faults.ts';

/*
 * npm run acceptance:faults [-- <text>]: plants each fault in a copy of the service, one at a time, and expects a check
 * to fail. A text selects the faults whose description or file contains it. Exits with 1 if fewer than 95 % are caught.
 */

const MIN_CAUGHT = 0.95;
const RUN_MS = 300_000;

const COPIED = ['client', 'docs', 'functions', 'infra', 'local', 'shared', 'test', 'package.json', 'tsconfig.json'];
const isCopied = (source: string): boolean => !/\/(node_modules|output|runtime-client)$/.test(source);

const copyService = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'faults-'));
  for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: isCopied });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the checks against the handlers of a copy, up to the first failure. */
const runChecks = (folder: string): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: folder, timeout: RUN_MS, killSignal: 'SIGKILL' } as const;
    const child = spawn(process.execPath, ['test/acceptance/run.ts', '--handlers', '--bail'], options);
    let output = '';
    const append = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    child.on('close', (code) => resolve({ code, output }));
  });

type Outcome = 'caught' | 'MISSED' | 'BROKEN';

/** A copy that fails before any check passes or fails proves nothing. */
const outcomeOf = ({ code, output }: Ended): readonly [Outcome, string] => {
  const failed = /^ {2}FAIL {2}(.*)$/m.exec(output)?.[1];
  if (failed) return ['caught', failed];
  if (code === null) return ['caught', `the checks did not end within ${RUN_MS / 1000} s`];
  return code === 0 ? ['MISSED', 'every check passes'] : ['BROKEN', output.slice(0, 500)];
};

const plant = async (folder: string, file: string, [, from, to]: Fault): Promise<readonly [Outcome, string]> => {
  const path = join(folder, file);
  const source = await readFile(path, 'utf8');
  await writeFile(
    path,
    source.replace(from, () => to),
  );
  const ended = await runChecks(folder);
  await writeFile(path, source);
  return outcomeOf(ended);
};

const [only = ''] = process.argv.slice(2);
const queue = faults.filter(([file, [what]]) => file.includes(only) || what.includes(only));
const total = queue.length;
const counts: Record<Outcome, number> = { caught: 0, MISSED: 0, BROKEN: 0 };
const folders = await Promise.all(Array.from({ length: availableParallelism() }, copyService));
try {
  const [first = ''] = folders;
  const { code, output } = await runChecks(first);
  if (code !== 0) throw new Error(`The checks fail without a fault:\n${output}`);
  const work = async (folder: string) => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [file, fault] = next;
      const [outcome, why] = await plant(folder, file, fault);
      counts[outcome] += 1;
      console.log(`${outcome}  ${fault[0]} (${file}): ${why}`);
    }
  };
  await Promise.all(folders.map(work));
  console.log(`caught ${counts.caught} of ${total}; missed ${counts.MISSED}, broken ${counts.BROKEN}`);
  process.exitCode = total > 0 && counts.BROKEN === 0 && counts.caught >= MIN_CAUGHT * total ? 0 : 1;
} finally {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
}
