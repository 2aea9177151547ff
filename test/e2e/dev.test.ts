import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { checkout } from '#test/local/checkout.ts';
import { run } from '#test/local/command.ts';

let url: string;

const copy = await checkout();
const file = await readFile(join(copy.root, 'functions/service/health.ts'), 'utf8');
await writeFile(join(copy.root, 'functions/service/status.ts'), file.replace('/health', '/status'));
const server = run(copy.root, ['local/start.ts', '--watch'], { PORT: '0', DATA_DIR: ':memory:' });
await server.untilPrinted('curl ');
[, url = ''] = /^ready (.*)$/m.exec(server.out.stdout) ?? [];
afterAll(async () => {
  server.child.kill('SIGINT');
  expect(await server.end()).toBe(0);
  await copy.remove();
});

const edit = async (file: string, from: string, to: string): Promise<void> => {
  const text = await readFile(join(copy.root, file), 'utf8');
  expect(text).toContain(from);
  await writeFile(join(copy.root, file), text.replace(from, to));
};

const health = async () => (await fetch(`${url}/health`)).text();

/** The number of reloads that the server has printed, one line each. */
const reloads = (): number => server.out.stdout.match(/^reloaded in \d+ ms\n/gm)?.length ?? 0;

/** Polls, because two files that are saved one after the other may cause two reloads. */
const eventually = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(50);
};

test('a changed file and a new endpoint: served without a restart', async () => {
  expect(await health()).toBe('{"status":"ok"}');
  expect((await fetch(`${url}/status`)).status).toBe(404);
  const table = await readFile(join(copy.root, 'functions/index.ts'), 'utf8');
  const entered = table.replace("'service/health': health,", "'service/health': health, 'service/status': status,");
  await Promise.all([
    writeFile(join(copy.root, 'functions/index.ts'), `import status from './service/status.ts';\n${entered}`),
    edit('functions/service/health.ts', "status: 'ok'", "status: 'changed'"),
  ]);
  await server.untilPrinted('reloaded');
  await eventually(async () => (await health()) === '{"status":"changed"}');
  await eventually(async () => (await fetch(`${url}/status`)).status === 200);
});

test('a broken build: printed, the last good one still answers, and the repair is reloaded', async () => {
  const before = reloads();
  await edit('functions/service/health.ts', 'import {', 'import {{');
  await server.untilPrinted('The last successful build is still served.', 'stderr');
  expect(server.out.stderr).toContain('health.ts');
  expect(await health()).toBe('{"status":"changed"}');
  expect((await fetch(`${url}/v1/invoices`)).status).toBe(401);
  await edit('functions/service/health.ts', 'import {{', 'import {');
  await eventually(async () => reloads() === before + 1);
});

test('an error in many bundles: printed once', async () => {
  const before = reloads();
  const wrong = "import { nothing } from './settings.ts';\nconsole.log(nothing);\n";
  await edit('shared/runtime/endpoint-runtime.ts', 'import', `${wrong}import`);
  await server.untilPrinted(/No matching export[\s\S]*The last successful build/, 'stderr');
  expect(server.out.stderr.match(/No matching export/g)).toHaveLength(1);
  expect(await health()).toBe('{"status":"changed"}');
  await edit('shared/runtime/endpoint-runtime.ts', wrong, '');
  await eventually(async () => reloads() === before + 1);
});

/** Saves as many editors do: writes another file and renames it. */
const replace = async (file: string, from: string, to: string): Promise<void> => {
  const text = await readFile(join(copy.root, file), 'utf8');
  expect(text).toContain(from);
  await writeFile(join(copy.root, 'draft'), text.replace(from, to));
  await rename(join(copy.root, 'draft'), join(copy.root, file));
};

test('a changed guide: served without a restart', async () => {
  const text = async () => (await fetch(`${url}/openapi.json`)).text();
  expect(await text()).not.toContain('A sentence of this test.');
  const file = (await readdir(join(copy.root, 'docs/guides'))).sort()[0] as string;
  await replace(`docs/guides/${file}`, '\n\n', '\n\nA sentence of this test.\n\n');
  await eventually(async () => (await text()).includes('A sentence of this test.'));
});

test('an error of a handler: its stack names file and line of the source', async () => {
  await replace(
    'functions/service/health.ts',
    'handle: () =>',
    "handle: () => {\n    throw new TypeError('of this test');\n  }, unused: () =>",
  );
  await eventually(async () => (await fetch(`${url}/health`)).status === 500);
  const lines = (await readFile(join(copy.root, 'functions/service/health.ts'), 'utf8')).split('\n');
  const line = lines.findIndex((one) => one.includes('throw new TypeError')) + 1;
  const record = server.out.stdout.split('\n').find((one) => one.includes('of this test')) ?? '{}';
  expect(JSON.parse(record).error.stack.split('\n')[1]).toContain(`${copy.root}/functions/service/health.ts:${line}:`);
});

const chunksOf = async (): Promise<string[]> => {
  const { files } = JSON.parse(await readFile(join(copy.root, 'dist-local/manifest.json'), 'utf8'));
  return (files as string[]).map((file) => basename(file)).filter((name) => /-[A-Z0-9]{8}\.mjs/.test(name));
};

test('the chunks of a build: remain until the build after the next one', async () => {
  const before = await chunksOf();
  const count = reloads();
  await replace('functions/service/health.ts', 'of this test', 'of another test');
  await eventually(async () => reloads() === count + 1);
  const kept = new Set([...before, ...(await chunksOf())]);
  expect(kept.size).toBeGreaterThan(before.length);
  await eventually(async () => (await readdir(join(copy.root, 'dist-local/chunks'))).length <= kept.size);
  expect((await readdir(join(copy.root, 'dist-local/chunks'))).sort()).toEqual([...kept].sort());
});
