import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { checkout } from '#test/local/checkout.ts';
import { run } from '#test/local/command.ts';
import { openDebugger } from './debugger.ts';

const copy = await checkout();
const server = run(copy.root, ['--inspect=127.0.0.1:0', 'local/start.ts', '--watch'], {
  PORT: '0',
  DATA_DIR: ':memory:',
});
await server.untilPrinted('curl ');
const debug = await openDebugger(/ws:\/\/\S+/.exec(server.out.stderr)?.[0] as string);
afterAll(async () => {
  debug?.close();
  server.child.kill('SIGKILL');
  await server.end();
  await copy.remove();
});

interface Place {
  readonly file: string;
  /** Counted from 0. */
  readonly line: number;
  readonly column: number;
}

const mapOf = (file: string): SourceMap => new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));

/** The source of a place in a bundle. */
const sourceOf = ({ file, line, column }: Place, map = mapOf(file)): { file: string; line: number } => {
  const entry = map.findEntry(line, column);
  if (!('originalSource' in entry)) return { file: '', line: -1 };
  return { file: resolve(dirname(file), entry.originalSource), line: entry.originalLine };
};

/** The first place in the bundles that was generated from a line of a source file, as VS Code finds it in `outFiles`. */
const findGenerated = async (source: string, sourceLine: number): Promise<Place | undefined> => {
  const bundles = join(copy.root, 'dist-local');
  for (const name of (await readdir(bundles, { recursive: true })).filter((one) => one.endsWith('.mjs'))) {
    const file = join(bundles, name);
    const lines = (await readFile(file, 'utf8')).split('\n');
    const map = mapOf(file);
    for (const [line, text] of lines.entries()) {
      const place = { file, line, column: text.search(/\S|$/) };
      const found = text.trim() === '' ? undefined : sourceOf(place, map);
      if (found?.file === source && found.line === sourceLine) return place;
    }
  }
  return undefined;
};

test('a breakpoint in functions/customers/create.ts, set before the function is loaded: pauses there', async () => {
  const source = join(copy.root, 'functions/customers/create.ts');
  const line = readFileSync(source, 'utf8')
    .split('\n')
    .findIndex((text) => text.includes('createCustomer(body'));
  expect(line).toBeGreaterThan(0);
  const place = await findGenerated(source, line);
  expect(place).toBeDefined();
  const paused = debug.breakAt(place as Place);
  const [, url = '', token = ''] = /^ready (\S+)\ncurl .*Bearer ([^']+)'/m.exec(server.out.stdout) ?? [];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = fetch(`${url}/v1/customers`, { method: 'POST', headers, body: '{"name":"Ada"}' });
  const location = await paused;
  expect(sourceOf({ ...location, file: fileURLToPath(location.url).replace(/\?.*/, '') })).toEqual({
    file: source,
    line,
  });
  await debug.resume();
  expect((await response).status).toBe(201);
});
