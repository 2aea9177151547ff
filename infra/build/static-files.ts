import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'esbuild';
import { currentDocument } from '#shared/openapi/source.ts';
import { contentHash } from '#shared/platform/http/file.ts';

const packed = (content: string | Buffer): Buffer => gzipSync(content, { level: 9 });

const page = (name: string): Promise<string> =>
  readFile(new URL(`../../shared/openapi/page/${name}`, import.meta.url), 'utf8');

/** The reference, as its package builds it for a browser: all of it in one file. */
const reference = (): Promise<Buffer> => {
  const main = fileURLToPath(import.meta.resolve('@scalar/api-reference'));
  return readFile(join(dirname(main), 'browser/standalone.js'));
};

/** A script's address holds the tag of its content, so that it may be kept for good. */
const addressed = async (html: string, script: string): Promise<string> =>
  html.replace(`/docs/${script}.js`, `/docs/${script}-${contentHash(await fileOf(`${script}.js.gz`))}.js`);

/** How each file is made that is deployed beside a bundle. */
const FILES: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
  'openapi.json.gz': () => packed(JSON.stringify(currentDocument())),
  'reference.js.gz': async () => packed(await reference()),
  'page.js.gz': async () => packed(await page('page.js')),
  'docs.html.gz': async () => packed(await addressed(await addressed(await page('index.html'), 'reference'), 'page')),
  // A deployed service gives no tokens away; the local one answers this path itself.
  'tokens.json.gz': () => packed('[]'),
};

const made = new Map<string, Promise<Buffer>>();

/**
 * The content of a file that an endpoint declares.
 * @throws Error for one that nothing makes
 */
export const fileOf = (name: string): Promise<Buffer> => {
  const make = FILES[name];
  if (!make) throw new Error(`Nothing makes ${name}: see infra/build/static-files.ts.`);
  const content = made.get(name) ?? Promise.resolve(make());
  made.set(name, content);
  return content;
};

const ENTRY = 'file:';

/** esbuild's entry for a file of a bundle. */
export const fileEntry = (directory: string, name: string): { in: string; out: string } => ({
  in: ENTRY + name,
  out: `${directory}/${name.replace(/\.[^.]+$/, '')}`,
});

/** Puts the files beside the bundles. */
export const files: Plugin = {
  name: 'files',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${ENTRY}`) }, ({ path }) => ({
      path: path.slice(ENTRY.length),
      namespace: 'file-beside',
    }));
    build.onLoad({ filter: /./, namespace: 'file-beside' }, async ({ path }) => ({
      contents: await fileOf(path),
      loader: 'copy',
    }));
  },
};
