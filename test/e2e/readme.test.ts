import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { startServer } from '#test/local/server.ts';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [, WALK = ''] = /^## The first five minutes$([\s\S]*?)^## /m.exec(README) ?? [];
const EXAMPLE = /^```sh\n([\s\S]*?)^```\n```\w+\n([\s\S]*?)^```$/gm;

const server = await startServer();
afterAll(() => server.stop());

/** Hides the ids, times and cursors, which differ at each run. */
const masked = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\d{12,}/g, '<id>')
    .replaceAll(/(?<="next_cursor":")[^"]+/g, '<cursor>');

test.each(['first', 'second'])('the commands of the README, for the %s time: print what it shows', async () => {
  const examples = [...WALK.matchAll(EXAMPLE)].map(([, commands = '', output = '']) => ({ commands, output }));
  expect(examples.length).toBeGreaterThan(4);
  let variables = '';
  let id = '';
  for (const { commands, output } of examples) {
    const script = commands
      .replace(/^BASE=.*$/m, `BASE=${server.url}`)
      .replace(/^TOKEN=.*$/m, `TOKEN=${server.token}`)
      .replace(/^(\w+_ID)=\d+ .*$/m, `$1=${id}`);
    const { stdout } = await promisify(execFile)('bash', ['-c', variables + script]);
    expect(masked(stdout).replaceAll('\r', '').trimEnd()).toBe(masked(output).trimEnd());
    variables += `${(script.match(/^[A-Z_]+=.*$/gm) ?? []).join('\n')}\n`;
    id = /^\{"id":(\d+)/.exec(stdout)?.[1] ?? id;
  }
});
