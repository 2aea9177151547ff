import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { checkout } from '#test/local/checkout.ts';
import { run } from '#test/local/command.ts';
import { until } from '#test/support/waiting/until.ts';

const copy = await checkout();
const file = await readFile(join(copy.root, 'functions/service/health.ts'), 'utf8');
await writeFile(join(copy.root, 'functions/service/status.ts'), file.replace('/health', '/status'));
const server = run(copy.root, ['local/dev.ts'], { PORT: '0', DATA_DIR: join(copy.root, 'data') });
await server.untilPrinted('curl ');
afterAll(async () => {
  server.child.kill('SIGINT');
  expect(await server.end()).toBe(0);
  await copy.remove();
});

/** The response of the newest start; undefined while none listens. Each start has another port. */
const get = async (path: string, headers = {}): Promise<Response | undefined> => {
  const [, url = ''] = [...server.out.stdout.matchAll(/^ready (.*)$/gm)].at(-1) ?? [];
  return fetch(url + path, { headers }).catch(() => undefined);
};

/** Saves as many editors do: writes another file and renames it, so that no start reads half of the file. */
const edit = async (file: string, ...changes: readonly (readonly [from: string, to: string])[]): Promise<void> => {
  let text = await readFile(join(copy.root, file), 'utf8');
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  await writeFile(join(copy.root, 'draft'), text);
  await rename(join(copy.root, 'draft'), join(copy.root, file));
};

const untilHealth = (status: string) =>
  until(async () => (await (await get('/health'))?.text()) === `{"status":"${status}"}`);

test('a changed file and a new endpoint: served, and the data and the tokens stay valid', async () => {
  const [, token = ''] = /Bearer ([^']+)'/.exec(server.out.stdout) ?? [];
  const url = /^ready (.*)$/m.exec(server.out.stdout)?.[1];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const created = await fetch(`${url}/v1/customers`, { method: 'POST', headers, body: '{"name":"Ada"}' });
  expect(created.status).toBe(201);
  expect((await get('/status'))?.status).toBe(404);
  await edit(
    'functions/index.ts',
    ['import', "import status from './service/status.ts';\nimport"],
    ["'service/health': health,", "'service/health': health, 'service/status': status,"],
  );
  await edit('functions/service/health.ts', ["status: 'ok'", "status: 'changed'"]);
  await untilHealth('changed');
  // Two files that are saved one after the other may cause two restarts.
  await until(async () => (await get('/status'))?.status === 200);
  await until(async () => (await get(created.headers.get('location') as string, headers))?.status === 200);
});

test('a broken file: the error is printed, and the repair is served', async () => {
  await edit('functions/service/health.ts', ['import {', 'import {{']);
  await server.untilPrinted(/SyntaxError|Unexpected|Expected/, 'stderr');
  expect(server.out.stderr).toContain('health.ts');
  await edit('functions/service/health.ts', ['import {{', 'import {'], ["status: 'changed'", "status: 'ok'"]);
  await untilHealth('ok');
});

test('a changed guide: served', async () => {
  const text = async () => (await (await get('/docs/getting-started'))?.text()) ?? '';
  expect(await text()).not.toContain('A sentence of this test.');
  await edit('docs/guides/01-getting-started.md', ['\n\n', '\n\nA sentence of this test.\n\n']);
  await until(async () => (await text()).includes('A sentence of this test.'));
});

test('an error of a handler: its stack names file and line of the source', async () => {
  const throwing = "handle: () => {\n    throw new TypeError('of this test');\n  }, unused: () =>";
  await edit('functions/service/health.ts', ['handle: () =>', throwing]);
  await until(async () => (await get('/health'))?.status === 500);
  await server.untilPrinted(/of this test.*\n/);
  const lines = (await readFile(join(copy.root, 'functions/service/health.ts'), 'utf8')).split('\n');
  const line = lines.findIndex((one) => one.includes('throw new TypeError')) + 1;
  const record = server.out.stdout.split('\n').find((one) => one.includes('of this test')) ?? '{}';
  expect(JSON.parse(record).error.stack.split('\n')[1]).toContain(`${copy.root}/functions/service/health.ts:${line}:`);
});
