import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const typeOf = (path: string): string => `import type { X } from '${path}';`;
const platform = (path: string): string => typeOf(`#shared/platform/${path}`);

/** A file, and an import that it may not have (test/architecture/import-rules.grit). */
const REFUSED: readonly (readonly [file: string, source: string])[] = [
  ['shared/platform/wire/a.ts', platform('commit/commit.ts')],
  ['shared/platform/wire/b.ts', "import { x } from '#shared/platform/commit/commit.ts';"],
  ['shared/platform/wire/c.ts', "import {\n  x,\n  y,\n} from '#shared/platform/commit/commit.ts';"],
  ['shared/platform/wire/d.ts', "export type { X } from '#shared/platform/commit/commit.ts';"],
  ['shared/platform/wire/e.ts', "export * from '#shared/platform/commit/commit.ts';"],
  ['shared/platform/wire/f.ts', "const x = await import('#shared/platform/commit/commit.ts');"],
  ['shared/platform/wire/g.ts', "type X = import('#shared/platform/commit/commit.ts').X<\n  string\n>;"],
  ['shared/platform/dynamodb/a.ts', platform('commit/commit.ts')],
  ['shared/platform/store/page-index/a.ts', platform('store/store.ts')],
  ['shared/platform/http/a.ts', platform('http/pipeline/serve.ts')],
  ['shared/platform/http/b.ts', typeOf('./pipeline/serve.ts')],
  ['shared/platform/a.ts', platform('wire/schema.ts')],
  ['shared/platform/b.ts', typeOf('./wire/schema.ts')],
  ['shared/platform/jobs/a.ts', typeOf('../http/endpoint.ts')],
  ['shared/platform/jobs/b.ts', typeOf('#shared/invoicing/index.ts')],
  ['shared/platform/unknown/a.ts', typeOf('node:fs')],
  ['shared/platform/jobs/c.ts', platform('unknown/a.ts')],
  ['shared/platform/webhooks/a.ts', platform('id.ts')],
  ['shared/platform/workarounds/a.ts', platform('id.ts')],
  ['shared/invoicing/orders/a.ts', typeOf('#functions/index.ts')],
  ['shared/invoicing/orders/b.ts', platform('http/reply.ts')],
  ['shared/runtime/a.ts', typeOf('#functions/index.ts')],
  ['shared/openapi/a.ts', typeOf('#shared/runtime/settings.ts')],
  ['shared/vocabulary.ts', typeOf('node:fs')],
  ['functions/orders/a.ts', typeOf('#shared/openapi/document.ts')],
  ['functions/orders/b.ts', typeOf('#test/support/service/clock.ts')],
  ['infra/build/a.ts', typeOf('#infra/stack.ts')],
  ['infra/a.ts', typeOf('#local/app.ts')],
  ['infra/b.ts', typeOf('#client/source/index.ts')],
  ['local/a.ts', typeOf('#infra/stack.ts')],
  ['local/b.ts', typeOf('#shared/openapi/document.ts')],
  ['local/cli/a.ts', typeOf('#shared/platform/id.ts')],
  ['bench/a.ts', typeOf('#infra/stack.ts')],
  ['client/source/a.ts', typeOf('#shared/vocabulary.ts')],
  ['client/source/b.ts', typeOf('jose')],
  ['client/build/a.ts', typeOf('#client/source/index.ts')],
  ['functions/orders/c.ts', typeOf('@aws-sdk/client-dynamodb')],
  ['shared/platform/jobs/d.ts', typeOf('@smithy/core/retry')],
  ['shared/runtime/b.ts', typeOf('@middy/core')],
  ['local/c.ts', typeOf('aws-cdk-lib')],
  ['infra/c.ts', typeOf('@aws-lambda-powertools/jmespath')],
  ['functions/orders/d.ts', typeOf('valibot')],
  ['shared/invoicing/orders/rules.ts', platform('store/store.ts')],
  ['shared/invoicing/items/rules.ts', typeOf('#shared/invoicing/orders/resource.ts')],
  ['shared/runtime/c.ts', "import '#shared/platform/id.ts';"],
];

const ALLOWED: typeof REFUSED = [
  ['shared/platform/commit/y.ts', platform('dynamodb/client.ts')],
  ['shared/platform/http/pipeline/y.ts', platform('http/pipeline/steps/step.ts')],
  ['shared/platform/jobs/y.ts', platform('declarations/worker.ts')],
  ['shared/platform/files/y.ts', typeOf('@aws-sdk/client-s3')],
  ['shared/platform/store/y.ts', platform('store/page-index/leaves.ts')],
  ['shared/platform/wire/y.ts', `${typeOf('./schema.ts')}\n${platform('wire/field.ts')}\n${typeOf('valibot')}`],
  ['shared/platform/y.ts', typeOf('#shared/vocabulary.ts')],
  ['shared/invoicing/orders/y.ts', platform('http/endpoint.ts')],
  ['shared/invoicing/parts/rules.ts', `${typeOf('./range.ts')}\n${platform('entity.ts')}\n${typeOf('node:util')}`],
  ['shared/runtime/y.ts', "import '#shared/platform/workarounds/v8-json-parse-63785.ts';"],
  ['infra/y.ts', `${typeOf('#local/cli/arguments.ts')}\n${typeOf('aws-cdk-lib/aws-lambda')}`],
  ['local/x.ts', "import 'yaml';"],
  ['local/y.ts', `${typeOf('#infra/build/static-files.ts')}\n${typeOf('#client/source/index.ts')}`],
  ['client/source/y.ts', `${typeOf('./index.ts')}\n${typeOf('@noble/hashes/sha2.js')}`],
];

let directory: string;
beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'imports-')));
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs the plugin. @returns the file of each error */
const check = async (files: typeof REFUSED): Promise<string[]> => {
  const plugins = [join(ROOT, 'test/architecture/import-rules.grit')];
  const config = { root: true, plugins, linter: { rules: { preset: 'none' } } };
  await writeFile(join(directory, 'biome.json'), JSON.stringify(config));
  for (const [file, source] of files) {
    await mkdir(join(directory, dirname(file)), { recursive: true });
    await writeFile(join(directory, file), `${source}\n`);
  }
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const options = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
  const { stdout } = await promisify(execFile)(process.execPath, [biome, ...options], { cwd: directory }).catch(
    (failed) => failed,
  );
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { path: string | { file: string } } }[] };
  return diagnostics.map(({ location: { path } }) => (typeof path === 'string' ? path : path.file));
};

test('an import that the rules refuse: one error; any other import: none [docs/architecture.md, Import rules]', async () => {
  const reported = await check([...REFUSED, ...ALLOWED]);
  expect(reported.sort()).toEqual(REFUSED.map(([file]) => file).sort());
});
