import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { npmStart } from '#test/local/npm-start.ts';

/* The programs of the guide: the blocks of a language, one after the other. */

const LANGUAGES = {
  python: { file: 'program.py', command: ['python3'], version: ['python3', '--version'] },
  go: { file: 'program.go', command: ['go', 'run'], version: ['go', 'version'] },
  ts: { file: 'program.ts', command: [process.execPath], version: [process.execPath, '--version'] },
} as const;

const CLIENT = new URL('../../client/source/index.ts', import.meta.url).href;

let guide: string;
let directory: string;
beforeAll(async () => {
  guide = await readFile(join(ROOT, 'docs/guides/19-programs.md'), 'utf8');
  directory = await mkdtemp(join(tmpdir(), 'invoicing-programs-'));
});
afterAll(() => rm(directory, { recursive: true }));

const programIn = (language: string): string =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))]
    .map(([, block]) => block)
    .join('\n')
    .replace("'invoicing-client'", `'${CLIENT}'`);

const run = async (language: keyof typeof LANGUAGES, env: NodeJS.ProcessEnv): Promise<string> => {
  const { file, command } = LANGUAGES[language];
  const [program, ...args] = command as readonly [string, ...string[]];
  const path = join(directory, file);
  await writeFile(path, programIn(language));
  return (await promisify(execFile)(program, [...args, path], { env: { ...process.env, ...env } })).stdout;
};

const isInstalled = ([program, ...args]: readonly [string, ...string[]]): boolean =>
  spawnSync(program, args).status === 0;

const installed = (Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]).filter((language) =>
  isInstalled(LANGUAGES[language].version as never),
);

test('the programs of the guide run one after the other: each creates, pays, and finds what is overdue', async () => {
  expect(installed).toContain('ts');
  await npmStart(ROOT, { PORT: '0', DATA_DIR: ':memory:' }, async ({ stdout }) => {
    let printed = '';
    for await (const text of stdout ?? []) {
      printed += text;
      if (/^curl .*\n/m.test(printed)) break;
    }
    const [, API, TOKEN] = /^ready (\S+)\ncurl \S+ -H 'Authorization: Bearer (.*)'\n/m.exec(printed) ?? [];
    for (const [i, language] of installed.entries()) {
      const overdue = Array(i + 1).fill('overdue 2026-01-31 61563');
      const lines = ['total 111563', 'paid 50000', ...overdue, expect.stringMatching(/^export true$/i)];
      expect((await run(language, { API, TOKEN })).trim().split('\n')).toEqual(lines);
    }
  });
});
