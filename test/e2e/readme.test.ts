import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { startServer } from '#test/local/server.ts';

const readDocument = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const [, WALK = ''] = /^## The first five minutes$([\s\S]*?)^## /m.exec(readDocument('README.md')) ?? [];
const GUIDE = readDocument('docs/guides/01-getting-started.md');
const EXAMPLE = /^```sh\n([^`]*)^```\n```\w+\n([^`]*)^```$/gm;

const server = await startServer();
afterAll(() => server.stop());

/** Hides the ids, times and cursors, which differ at each run. */
const masked = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\d{12,}/g, '<id>')
    .replaceAll(/(?<="next_cursor":")[^"]+/g, '<cursor>');

const examplesOf = (text: string) =>
  [...text.matchAll(EXAMPLE)].map(([, commands = '', output = '']) => ({ commands, output }));

const bash = async (script: string): Promise<string> => (await promisify(execFile)('bash', ['-c', script])).stdout;

test.each(['first', 'second'])('the commands of the README, for the %s time: print what it shows', async () => {
  const examples = examplesOf(WALK);
  expect(examples.length).toBeGreaterThan(4);
  let variables = '';
  let id = '';
  for (const { commands, output } of examples) {
    const script = commands
      .replace(/^BASE=.*$/m, `BASE=${server.url}`)
      .replace(/^TOKEN=.*$/m, `TOKEN=${server.token}`)
      .replace(/^(\w+_ID)=\d+ .*$/m, `$1=${id}`);
    const stdout = await bash(variables + script);
    expect(masked(stdout).replaceAll('\r', '').trimEnd()).toBe(masked(output).trimEnd());
    variables += `${(script.match(/^[A-Z_]+=.*$/gm) ?? []).join('\n')}\n`;
    id = /^\{"id":(\d+)/.exec(stdout)?.[1] ?? id;
  }
});

test('the commands of the guide “Getting started”: print the fields that it shows', async () => {
  const [, variables = ''] = /^```sh\n(API=[\s\S]*?)^```$/m.exec(GUIDE) ?? [];
  const setup = variables.replace(/^API=.*$/m, `API=${server.url}`).replace(/^TOKEN=.*$/m, `TOKEN=${server.token}`);
  const ids = new Map<string, string>();
  const withIds = (text: string) => text.replaceAll(/\d{12,}/g, (id) => ids.get(id) ?? id);
  const examples = examplesOf(GUIDE);
  expect(examples.length).toBeGreaterThan(3);
  const printed = await bash(setup + examples.map(({ commands }) => commands).join('echo\n'));
  const bodies = printed.split('\n').filter((line) => line !== '');
  expect(bodies).toHaveLength(examples.length);
  for (const [i, { output }] of examples.entries()) {
    const body = JSON.parse(bodies[i] as string);
    const shown = output.replaceAll(', …', '');
    ids.set(String(JSON.parse(shown).id), String(body.id));
    expect(body).toMatchObject(JSON.parse(withIds(shown)));
  }
});
