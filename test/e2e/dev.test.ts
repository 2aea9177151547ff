import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { checkout } from '#test/local/checkout.ts';
import { run } from '#test/local/command.ts';
import { until } from '#test/support/waiting/until.ts';

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

/** Saves as many editors do: writes another file and renames it. No build sees half of it. */
const edit = async (file: string, ...changes: readonly (readonly [from: string, to: string])[]): Promise<void> => {
  let text = await readFile(join(copy.root, file), 'utf8');
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  await writeFile(join(copy.root, 'draft'), text);
  await rename(join(copy.root, 'draft'), join(copy.root, file));
};

const health = async () => (await fetch(`${url}/health`)).text();

const untilHealth = (status: string) => until(async () => (await health()) === `{"status":"${status}"}`);

test('a changed file and a new endpoint: served without a restart', async () => {
  expect(await health()).toBe('{"status":"ok"}');
  expect((await fetch(`${url}/status`)).status).toBe(404);
  await edit(
    'functions/index.ts',
    ['import', "import status from './service/status.ts';\nimport"],
    ["'service/health': health,", "'service/health': health, 'service/status': status,"],
  );
  await edit('functions/service/health.ts', ["status: 'ok'", "status: 'changed'"]);
  // Two files that are saved one after the other may cause two reloads.
  await untilHealth('changed');
  await until(async () => (await fetch(`${url}/status`)).status === 200);
  await server.untilPrinted(/^reloaded in \d+ ms\n/m);
});

test('a broken build: printed, the last good one still answers, and the repair is reloaded', async () => {
  await edit('functions/service/health.ts', ['import {', 'import {{']);
  await server.untilPrinted('The last successful build is still served.', 'stderr');
  expect(server.out.stderr).toContain('health.ts');
  expect(await health()).toBe('{"status":"changed"}');
  expect((await fetch(`${url}/v1/invoices`)).status).toBe(401);
  await edit('functions/service/health.ts', ['import {{', 'import {'], ["status: 'changed'", "status: 'repaired'"]);
  await untilHealth('repaired');
});

test('an error in many bundles: printed once', async () => {
  const wrong = "import { nothing } from './settings.ts';\nconsole.log(nothing);\n";
  await edit('shared/runtime/endpoint-runtime.ts', ['import', `${wrong}import`]);
  await server.untilPrinted(/No matching export[\s\S]*The last successful build/, 'stderr');
  // The changed file may cause more than one build.
  const [failure] = /No matching export[\s\S]*?The last successful build/.exec(server.out.stderr) ?? [];
  expect(failure?.match(/No matching export/g)).toHaveLength(1);
  expect(await health()).toBe('{"status":"repaired"}');
  await edit('shared/runtime/endpoint-runtime.ts', [wrong, '']);
  await edit('functions/service/health.ts', ["status: 'repaired'", "status: 'ok'"]);
  await untilHealth('ok');
});

test('a changed guide: served without a restart', async () => {
  const text = async () => (await fetch(`${url}/openapi.json`)).text();
  expect(await text()).not.toContain('A sentence of this test.');
  const file = (await readdir(join(copy.root, 'docs/guides'))).sort()[0] as string;
  await edit(`docs/guides/${file}`, ['\n\n', '\n\nA sentence of this test.\n\n']);
  await until(async () => (await text()).includes('A sentence of this test.'));
});

test('an error of a handler: its stack names file and line of the source', async () => {
  const throwing = "handle: () => {\n    throw new TypeError('of this test');\n  }, unused: () =>";
  await edit('functions/service/health.ts', ['handle: () =>', throwing]);
  await until(async () => (await fetch(`${url}/health`)).status === 500);
  await server.untilPrinted(/of this test.*\n/);
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
  await edit('functions/service/health.ts', ['of this test', 'of another test']);
  await until(async () => {
    await health();
    return server.out.stdout.includes('of another test');
  });
  const kept = new Set([...before, ...(await chunksOf())]);
  expect(kept.size).toBeGreaterThan(before.length);
  await until(async () => (await readdir(join(copy.root, 'dist-local/chunks'))).length <= kept.size);
  expect((await readdir(join(copy.root, 'dist-local/chunks'))).sort()).toEqual([...kept].sort());
});
