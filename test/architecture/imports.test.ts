import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { isPublic, routeOf } from '#shared/platform/http/endpoint.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const MOST_FILES = 18;

/** Every source file but those of tests, as a path from the root. */
const FILES = ['functions', 'shared', 'client', 'infra', 'local', 'bench'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|mjs)$/.test(file) && !file.startsWith('dist/'))
    .map((file) => `${folder}/${file}`),
);
const SOURCES = new Map(FILES.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));

interface Edge {
  readonly from: string;
  /** A file, or the name of a package. */
  readonly to: string;
  /** Whether the import remains at run time; otherwise it imports types only. */
  readonly value: boolean;
}

/** The path from the root, or the package, that a specifier in a file stands for. */
const target = (from: string, specifier: string): string => {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? join(dirname(from), specifier) : specifier;
};

const SPECIFIER = /^(?:(?:import|export)\b[^;]*?\bfrom\s+|import\s+)'([^'\s]+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

/** Every import in a file's text, including imports of types. */
const importsOf = (from: string, text: string): string[] =>
  [...text.matchAll(SPECIFIER)].map(([, at, dynamic]) => target(from, (at ?? dynamic) as string));

/** esbuild finds the imports that remain at run time, the text also those of types. */
const { metafile } = await build({
  entryPoints: FILES,
  absWorkingDir: ROOT,
  bundle: true,
  write: false,
  metafile: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  outdir: 'out',
  logLevel: 'silent',
});
const edges = FILES.flatMap((from) => {
  const values = (metafile.inputs[from]?.imports ?? []).map(({ path }) => path);
  const all = new Set([...values, ...importsOf(from, SOURCES.get(from) as string)]);
  return [...all].map((to) => ({ from, to, value: values.includes(to) }));
});

/** Concepts of the platform that keep something on AWS, each with its storage. */
const STORAGE = ['dynamodb', 'commit', 'store', 'events', 'jobs', 'files', 'limits', 'queues'].map(
  (concept) => `shared/platform/${concept}`,
);

const LAYERS = [
  ...STORAGE,
  'shared/platform/telemetry',
  'shared/platform/wire',
  'shared/platform/http',
  'shared/platform/workarounds',
  'shared/platform/webhooks',
  'shared/platform/declarations',
  'shared/platform',
  'shared/invoicing',
  'shared/runtime',
  'shared/openapi',
  'functions',
  'client/source',
  'client/build',
  'infra',
  'local/cli',
  'local',
  'bench',
  'test',
];

/** Imports nothing, and any layer may import it. */
const VOCABULARY = 'shared/vocabulary.ts';

/** The layer of a file; the files of `shared/platform` itself are its declarations. */
const layer = (file: string): string =>
  file === VOCABULARY ? VOCABULARY : (LAYERS.find((one) => file.startsWith(`${one}/`)) ?? 'package');

const PLATFORM = LAYERS.filter((one) => one.startsWith('shared/platform'));
const DECLARED = [
  'shared/platform',
  'shared/platform/declarations',
  'shared/platform/wire',
  'shared/platform/telemetry',
];
const SHARED = [...PLATFORM, 'shared/invoicing', 'shared/runtime'];

/** docs/architecture.md, Import rules: what each layer may import, whether a value or a type. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'shared/platform/telemetry': ['shared/platform/telemetry', 'shared/platform'],
  'shared/platform/wire': ['shared/platform/wire', 'shared/platform'],
  'shared/platform': DECLARED,
  'shared/platform/declarations': DECLARED,
  'shared/platform/http': [
    ...DECLARED,
    'shared/platform/http',
    'shared/platform/commit',
    'shared/platform/limits',
    'shared/platform/workarounds',
  ],
  ...Object.fromEntries(STORAGE.map((concept) => [concept, [...DECLARED, ...STORAGE, 'shared/platform/workarounds']])),
  'shared/platform/workarounds': [],
  'shared/platform/webhooks': ['shared/platform/webhooks'],
  'shared/invoicing': [...DECLARED, ...STORAGE, 'shared/invoicing', 'shared/platform/webhooks'],
  'shared/runtime': SHARED,
  // A test below proves that it loads no AWS SDK.
  functions: [
    'functions',
    'shared/invoicing',
    ...DECLARED,
    ...STORAGE,
    'shared/platform/http',
    'shared/platform/webhooks',
  ],
  // Nothing that is deployed imports it.
  'shared/openapi': [
    'shared/openapi',
    'functions',
    'shared/invoicing',
    ...DECLARED,
    'shared/platform/http',
    'shared/platform/webhooks',
  ],
  // A package of its own.
  'client/source': ['client/source'],
  'client/build': ['client/build'],
  infra: ['infra', 'local/cli', 'shared/openapi', 'functions', ...SHARED],
  'local/cli': ['local/cli'],
  // `npm run listen` is a client.
  local: ['local', 'local/cli', 'client/source', 'functions', ...SHARED],
  bench: ['bench', 'local', 'local/cli', 'functions', ...SHARED],
};

/** Layers whose types a layer may import, but no values: so it loads neither an AWS client nor the pipeline. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = {
  'shared/platform/declarations': STORAGE,
  'shared/platform/http': STORAGE,
};

/** Whether an import is allowed beyond MAY_IMPORT: of types only, or of one file. */
const isException = ({ from, to, value }: Edge): boolean => {
  if (!value && TYPES_ONLY[layer(from)]?.includes(layer(to))) return true;
  if (layer(from) === 'shared/invoicing' && to === 'shared/platform/http/endpoint.ts') return true;
  if (from === 'local/app.ts' && to === 'infra/build/static-files.ts') return true;
  return layer(from) === 'bench' && to === 'infra/build/bundle.ts';
};

const describeEdge = ({ from, to, value }: Edge): string => `${from} imports ${value ? '' : 'a type of '}${to}`;

test('the imports of the source: this test finds all of them', () => {
  expect(edges.filter(({ value }) => !value).length).toBeGreaterThan(20);
  const source = `import type { A } from './a.ts';\nimport {\n  b,\n  type C,\n} from '#shared/b.ts';\nimport 'c';\nexport * from './d.ts';\nexport { e } from "e";\nconst f = await import('./f.ts');\nconst from = 1;\n`;
  expect(importsOf('x/y.ts', source)).toEqual(['x/a.ts', 'shared/b.ts', 'c', 'x/d.ts', 'x/f.ts']);
  const missing = edges.filter(
    ({ from, to, value }) => value && !importsOf(from, SOURCES.get(from) as string).includes(to),
  );
  expect(missing.map(describeEdge)).toEqual([]);
});

test('every import: the layer of the file may import the layer of the target [docs/architecture.md, Import rules]', () => {
  const wrong = edges.filter((edge) => {
    const to = layer(edge.to);
    if (to === VOCABULARY) return edge.from.startsWith('client/');
    return to !== 'package' && !MAY_IMPORT[layer(edge.from)]?.includes(to) && !isException(edge);
  });
  expect(wrong.map(describeEdge)).toEqual([]);
});

test('the vocabulary: imports nothing [docs/architecture.md, Import rules]', () => {
  expect(SOURCES.has(VOCABULARY)).toBe(true);
  expect(edges.filter(({ from }) => from === VOCABULARY).map(describeEdge)).toEqual([]);
});

test('no file: declares a module of another, which is an import that no test sees', () => {
  const augmenting = [...SOURCES].filter(([, text]) => /^declare module /m.test(text));
  expect(augmenting.map(([file]) => file)).toEqual([]);
});

test('a rules.ts: imports only the vocabulary, rules, the platform’s declarations, the states of jobs, the schedule of webhooks and Node’s modules [docs/architecture.md, Import rules]', () => {
  const isRule = (file: string) => /^shared\/invoicing\/.*\brules\.ts$/.test(file);
  const mayImport = (to: string) =>
    ['shared/platform', VOCABULARY].includes(layer(to)) ||
    ['shared/platform/jobs/state.ts', 'shared/platform/webhooks/schedule.ts'].includes(to) ||
    (layer(to) === 'shared/invoicing' && !/\/(resource|schema)\.ts$/.test(to)) ||
    (to.startsWith('node:') && isBuiltin(to));
  const own = edges.filter(({ from }) => isRule(from));
  expect(own.length).toBeGreaterThan(10);
  expect(own.filter(({ to }) => !mayImport(to)).map(describeEdge)).toEqual([]);
});

test('the platform: imports nothing of the product, and names none of its nouns [docs/architecture.md, Import rules]', () => {
  const platform = [...SOURCES].filter(([file]) => file.startsWith('shared/platform/'));
  expect(platform.length).toBeGreaterThan(50);
  const imports = edges.filter(
    ({ from, to }) => from.startsWith('shared/platform/') && /^shared\/(?!platform\/|vocabulary\.ts$)/.test(to),
  );
  expect(imports.map(describeEdge)).toEqual([]);
  const nouns = /\b(customer|invoice|payment|refund)s?\b/i;
  const naming = platform.flatMap(([file, text]) => {
    const found = nouns.exec(text.replaceAll('shared/invoicing', ''));
    return found ? [`${file}: ${found[0]}`] : [];
  });
  expect(naming).toEqual([]);
});

/** The streaming hash that WebCrypto lacks. */
const BUNDLED = ['@noble/hashes/sha2.js', '@noble/hashes/utils.js'];

test('the client: imports only its own files and the packages that its bundle contains', () => {
  const own = edges.filter(({ from }) => layer(from) === 'client/source');
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter(({ to }) => layer(to) !== 'client/source' && !BUNDLED.includes(to)).map(describeEdge)).toEqual([]);
});

test.each([
  [
    'the AWS SDK [docs/architecture.md, Import rules]',
    /^@(aws-sdk|smithy)\//,
    [...STORAGE, 'shared/platform/workarounds', 'shared/runtime', 'infra', 'local', 'bench'],
  ],
  ['Middy', /^@middy\//, ['shared/platform/http', 'infra', 'local', 'bench']],
  ['CDK', /^(aws-cdk-lib|cdk-nag|constructs)\b/, ['infra']],
  ['Powertools', /^@aws-lambda-powertools\//, ['bench']],
  [
    'valibot',
    /^valibot$/,
    [
      'shared/platform/wire',
      'shared/platform/declarations',
      'shared/platform/http',
      'shared/invoicing',
      'shared/openapi',
      'bench',
    ],
  ],
])('only the listed layers import %s', (_, packages, layers) => {
  const wrong = edges.filter(({ from, to }) => packages.test(to) && !layers.includes(layer(from)));
  expect(wrong.map(describeEdge)).toEqual([]);
});

test('every source file: imports no undeclared package and no test', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const isDeployed = (file: string) => /^(shared|functions)\/(?!openapi)/.test(file);
  const declared = (name: string, { from, value }: Edge) =>
    name in dependencies ||
    ((!isDeployed(from) || !value) && (name in devDependencies || `@types/${name}` in devDependencies));
  const wrong = edges.filter((edge) => {
    if (layer(edge.to) !== 'package') return edge.to.startsWith('test/') || !SOURCES.has(edge.to);
    const name = edge.to
      .split('/')
      .slice(0, edge.to.startsWith('@') ? 2 : 1)
      .join('/');
    return !isBuiltin(edge.to) && edge.to !== 'package.json' && !declared(name, edge);
  });
  expect(wrong.map(describeEdge)).toEqual([]);
});

/** The nodes of a cycle, if there is one. */
const findCycle = (graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined => {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const found = visit(next, [...path, node]);
      if (found) return found;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const found = visit(node, []);
    if (found) return found;
  }
  return undefined;
};

const graphOf = (pairs: readonly (readonly [string, string])[]): Map<string, Set<string>> => {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of pairs) if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return graph;
};

test('folders: no cycle of imports at run time', () => {
  const inside = edges.filter(({ to }) => SOURCES.has(to));
  expect(
    findCycle(
      graphOf([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a'],
      ]),
    ),
  ).toEqual(['a', 'b', 'c', 'a']);
  // The platform's declarations import its folders and are imported by them, and so does the list of resources with the
  // folders of the nouns; Biome's noImportCycles covers their files.
  const isList = ({ from }: Edge) => ['shared/platform', 'shared/invoicing'].includes(dirname(from));
  const folders = inside.filter((edge) => edge.value && !isList(edge));
  expect(findCycle(graphOf(folders.map(({ from, to }) => [dirname(from), dirname(to)] as const)))).toBeUndefined();
});

test('an import for its side effect: names a workaround, because bundles drop the import of any other file (`sideEffects` in package.json)', () => {
  const imported = [...SOURCES].flatMap(([file, text]) =>
    [...text.matchAll(/^import '([#.][^']+)'/gm)].map(([, path]) => [file, path]),
  );
  expect(imported.length).toBeGreaterThan(0);
  const isWorkaround = ([, path = '']: (string | undefined)[]) => path.startsWith('#shared/platform/workarounds/');
  expect(imported.filter((one) => !isWorkaround(one))).toEqual([]);
});

test(`every folder of source: at most ${MOST_FILES} files`, () => {
  const folders = Object.entries(Object.groupBy(FILES, dirname));
  expect(folders.flatMap(([folder, files = []]) => (files.length > MOST_FILES ? [folder] : []))).toEqual([]);
});

test('a file name: without util, helper, manager, service, common or misc', () => {
  const names = FILES.map((file) => file.slice(file.lastIndexOf('/') + 1));
  expect(names.filter((name) => /util|helper|manager|service|common|misc/i.test(name))).toEqual([]);
});

/** The entries of the tables, by file. */
const declared = endpoints;
const all: Readonly<Record<string, unknown>> = { ...endpoints, ...workers };

test('the tables: have one entry for each file of an endpoint or a worker, under its name', () => {
  const files = FILES.filter((file) => /^functions\/.+\//.test(file)).map((file) =>
    file.slice('functions/'.length, -'.ts'.length),
  );
  expect(Object.keys(all).sort()).toEqual(files.sort());
});

test('every entry of the tables: is the default export of its file', async () => {
  for (const [file, one] of Object.entries(all)) {
    const { default: value } = await import(`#functions/${file}.ts`);
    if (typeof value !== 'function') expect([file, value === one]).toEqual([file, true]);
  }
});

const routed = Object.entries(declared).filter(([, { route }]) => route?.includes(' '));

test('every route: declared once, whatever its parameters are called', () => {
  const routes = routed.map(([, { route }]) => route.replaceAll(/\{[^}]*\}/g, '{}'));
  expect(routes.filter((route, i) => routes.indexOf(route) !== i)).toEqual([]);
  expect(routes.length).toBeGreaterThan(10);
});

test('every path: a plural collection, lower case with hyphens, nested one level at most [§1]', () => {
  const word = '[a-z]+(?:-[a-z]+)*';
  const path = new RegExp(`^/${word}s(?:/\\{[a-z_]+_id\\}(?:/${word}(?:/\\{[a-z_]+_id\\})?)?)?$`);
  const paths = routed.filter(([, one]) => !isPublic(one)).map(([, one]) => routeOf(one).path);
  expect(paths.filter((one) => !path.test(one))).toEqual([]);
});

test('the file of an endpoint: is in the folder of its collection', () => {
  const misplaced = routed.filter(
    ([file, one]) => !isPublic(one) && file.split('/')[0] !== routeOf(one).path.split('/')[1],
  );
  expect(misplaced.map(([file, { route }]) => `${file}: ${route}`)).toEqual([]);
});

/** Prints the URLs of the modules that an import of the tables loads in Node. */
const LOADED = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  await import('#functions/index.ts');
  await import('#functions/workers.ts');
  console.log(JSON.stringify(urls));
`;

test('an import of the tables: loads no AWS SDK, no Middy, and no clients', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', LOADED], { cwd: ROOT });
  const urls = JSON.parse(stdout) as string[];
  expect(urls.filter((url) => url.includes('/functions/')).length).toBeGreaterThanOrEqual(Object.keys(declared).length);
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  expect([...new Set(packages)].sort()).toEqual(['valibot']);
  expect(
    urls.filter((url) => url.includes('/shared/platform/dynamodb/client') || url.includes('/shared/runtime/')),
  ).toEqual([]);
});
