import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'esbuild';
import { currentDocument, llmsText } from '#shared/openapi/source.ts';
import { versionDocument } from '#shared/openapi/transforms/version-document.ts';
import { buildSite } from './site.ts';

const gzip = (content: string): Buffer => gzipSync(content, { level: 9 });

/** The content of each static file that is deployed with a bundle. */
const FILES: Readonly<Record<string, () => Buffer | Promise<Buffer>>> = {
  'openapi.json.gz': () => gzip(JSON.stringify(currentDocument())),
  'openapi-v1.json.gz': () => gzip(JSON.stringify(versionDocument(currentDocument(), 'v1'))),
  'openapi-v2.json.gz': () => gzip(JSON.stringify(versionDocument(currentDocument(), 'v2'))),
  'llms.txt.gz': () => gzip(llmsText()),
  'site.json': buildSite,
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

/** The entry of a file in a directory. Each has an input of its own, because esbuild writes an input once. */
export const fileEntry = (directory: string, name: string): { in: string; out: string } => ({
  in: `${ENTRY}${directory}/${name}`,
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
      contents: await fileOf(basename(path)),
      loader: 'copy',
    }));
  },
};
