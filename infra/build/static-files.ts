import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type OutputFile, type Plugin } from 'esbuild';
import { currentDocument, llmsText, readSource } from '#shared/openapi/source.ts';
import { versionDocument } from '#shared/openapi/transforms/version-document.ts';
import { contentHash } from '#shared/platform/http/file.ts';

const gzip = (content: string | Uint8Array): Buffer => gzipSync(content, { level: 9 });

const PAGE = new URL('../../shared/openapi/page/', import.meta.url);

const bundlePage = async (): Promise<Uint8Array> => {
  const entryPoints = [fileURLToPath(new URL('page.js', PAGE))];
  const options = { entryPoints, bundle: true, format: 'esm', target: 'es2023', write: false } as const;
  // esbuild leaves out a module that package.json does not name in `sideEffects`.
  const { outputFiles } = await build({ ...options, logOverride: { 'ignored-bare-import': 'error' } });
  return (outputFiles[0] as OutputFile).contents;
};

const readReference = (): Promise<Buffer> =>
  readFile(new URL('../../shared/openapi/scalar/standalone.js', import.meta.url));

/** Adds a hash of the script's content to its URL, so that browsers can cache it forever. */
const withScriptUrl = async (html: string, script: string): Promise<string> =>
  html.replace(`/docs/${script}.js`, `/docs/${script}-${contentHash(await fileOf(`${script}.js.gz`))}.js`);

/** The content of each static file that is deployed with a bundle. */
const FILES: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
  'openapi.json.gz': () => gzip(JSON.stringify(currentDocument())),
  'openapi-v1.json.gz': () => gzip(JSON.stringify(versionDocument(currentDocument(), 'v1'))),
  'openapi-v2.json.gz': () => gzip(JSON.stringify(versionDocument(currentDocument(), 'v2'))),
  'reference.js.gz': async () => gzip(await readReference()),
  'llms.txt.gz': () => gzip(llmsText()),
  'changelog.txt.gz': () => gzip(readSource('CHANGELOG.md')),
  'page.js.gz': async () => gzip(await bundlePage()),
  'docs.html.gz': async () =>
    gzip(
      await withScriptUrl(
        await withScriptUrl(await readFile(new URL('index.html', PAGE), 'utf8'), 'reference'),
        'page',
      ),
    ),
  // A deployed service issues no tokens. The local server serves this path itself.
  'tokens.json.gz': () => gzip('[]'),
};

const cache = new Map<string, Promise<Buffer>>();

export const fileOf = (name: string): Promise<Buffer> => {
  const create = FILES[name];
  if (!create) throw new Error(`The static file ${name} is unknown: add it to infra/build/static-files.ts.`);
  const content = cache.get(name) ?? Promise.resolve(create());
  cache.set(name, content);
  return content;
};

const ENTRY = 'file:';

export const fileEntry = (directory: string, name: string): { in: string; out: string } => ({
  in: ENTRY + name,
  out: `${directory}/${name.replace(/\.[^.]+$/, '')}`,
});

export const staticFiles: Plugin = {
  name: 'static-files',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${ENTRY}`) }, ({ path }) => ({
      path: path.slice(ENTRY.length),
      namespace: 'static-file',
    }));
    build.onLoad({ filter: /./, namespace: 'static-file' }, async ({ path }) => ({
      contents: await fileOf(path),
      loader: 'copy',
    }));
  },
};
