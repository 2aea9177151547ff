import { spawn } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '#local/settings/settings.ts';
import { type Checkout, checkout } from '#test/local/checkout.ts';
import type { Fault } from './fault.ts';
import { faults } from './index.ts';

/*
 * npm run acceptance:faults [-- <text>]: plants each fault in a copy of the service, one at a time, and expects a check
 * to fail. A text selects the faults whose description or file contains it. Exits with 1 if fewer than 95 % are caught.
 */

const MIN_CAUGHT = 0.95;
const RUN_MS = 600_000;

const copyService = async (): Promise<Checkout> => {
  const copy = await checkout(false);
  const isCopied = (source: string) => !/\/(output|runtime-client)$/.test(source);
  await cp(join(ROOT, 'test'), join(copy.root, 'test'), { recursive: true, filter: isCopied });
  return copy;
};

/** The first line about a failed check. */
const FAILURE = /^ {2}FAIL {2}(.*)$/m;

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
      // The other groups need not end.
      if (FAILURE.test(output)) child.kill();
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    child.on('close', (code) => resolve({ code, output }));
  });

type Outcome = 'caught' | 'MISSED' | 'BROKEN';

/** A copy that fails before any check passes or fails proves nothing. */
const outcomeOf = ({ code, output }: Ended): readonly [Outcome, string] => {
  const failed = FAILURE.exec(output)?.[1];
  if (failed) return ['caught', failed];
  if (code === null) return ['caught', `the checks did not end within ${RUN_MS / 1000} s`];
  return code === 0 ? ['MISSED', 'every check passes'] : ['BROKEN', output.slice(0, 500)];
};

const plant = async (folder: string, file: string, [, from, to]: Fault): Promise<readonly [Outcome, string]> => {
  const path = join(folder, file);
  const source = await readFile(path, 'utf8');
  if (!source.includes(from)) return ['BROKEN', 'its text is not in the file'];
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
const copies = await Promise.all(Array.from({ length: availableParallelism() }, copyService));
try {
  const { code, output } = await runChecks((copies[0] as Checkout).root);
  if (code !== 0) throw new Error(`The checks fail without a fault:\n${output}`);
  const work = async ({ root }: Checkout) => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [file, fault] = next;
      const [outcome, why] = await plant(root, file, fault);
      counts[outcome] += 1;
      console.log(`${outcome}  ${fault[0]} (${file}): ${why}`);
    }
  };
  await Promise.all(copies.map(work));
  console.log(`caught ${counts.caught} of ${total}; missed ${counts.MISSED}, broken ${counts.BROKEN}`);
  process.exitCode = total > 0 && counts.BROKEN === 0 && counts.caught >= MIN_CAUGHT * total ? 0 : 1;
} finally {
  await Promise.all(copies.map((copy) => copy.remove()));
}
