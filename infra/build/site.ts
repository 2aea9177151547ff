import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Site, SiteFile } from '#shared/platform/http/site.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The files from which the site is built: its pages, its theme, the client of its explorer, and the codes of problems. */
const INPUTS = [
  'docs',
  'client/source',
  'shared/openapi/scalar',
  'shared/vocabulary.ts',
  'infra/build/site.ts',
  'CHANGELOG.md',
  'node_modules/vitepress/package.json',
  'node_modules/@vueuse/core/package.json',
];

const CACHE = join(ROOT, 'docs/.vitepress/cache');

/** Whether a build has written a file. */
export const isWrittenByBuild = (path: string): boolean => path.includes('.vitepress/cache');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
};

/** VitePress's page for unknown paths, which are a problem here, and an empty style. */
const UNUSED = ['404.html', 'vp-icons.css'];

/** The names that contain a hash of their content (docs/.vitepress/config.ts). */
const HASHED = /\.[\w-]{8}(\.lean)?\.\w+$/;

const cacheControlOf = (name: string): string =>
  HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';

/** @throws Error for a file that is no text: the service sends it decoded to a client that does not accept gzip */
const toFile = (name: string, content: string | Buffer, cacheControl = cacheControlOf(name)): SiteFile => {
  const contentType = TYPES[extname(name)];
  if (!contentType) throw new Error(`The site has a file of an unknown type: ${name}.`);
  return { contentType, cacheControl, content: gzipSync(content, { level: 9 }).toString('base64') };
};

/** The configuration of VitePress. */
const CONFIGURATION = ['config.ts', 'theme'];

/**
 * Builds the pages in another process, because VitePress has settings for its whole process, and with a root of its own,
 * because VitePress writes temporary files there.
 */
const buildPages = async (root: string): Promise<string> => {
  await mkdir(join(root, '.vitepress'));
  for (const name of CONFIGURATION) await symlink(join(ROOT, 'docs/.vitepress', name), join(root, '.vitepress', name));
  const command = join(ROOT, 'node_modules/vitepress/bin/vitepress.js');
  await promisify(execFile)(process.execPath, [command, 'build', root, '--outDir', join(root, 'site')], { cwd: ROOT });
  return join(root, 'site');
};

/** The sources that `script-src` allows for the scripts in a page. */
const inlineScriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script(?: id="[\w-]+")?>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  );

const create = async (root: string): Promise<Site> => {
  const directory = await buildPages(root);
  const names = (await readdir(directory)).filter((name) => !UNUSED.includes(name)).sort();
  const contents = await Promise.all(names.map((name) => readFile(join(directory, name))));
  const files = names.map((name, i) => [name.replace(/\.html$/, ''), toFile(name, contents[i] as Buffer)] as const);
  const pages = contents.filter((_, i) => names[i]?.endsWith('.html'));
  return {
    scripts: [...new Set(pages.flatMap((page) => inlineScriptsOf(page.toString())))],
    files: {
      ...Object.fromEntries(files),
      'changelog.txt': toFile('changelog.txt', await readFile(join(ROOT, 'CHANGELOG.md'))),
      // A deployed service issues no tokens. The local server serves this path itself.
      'tokens.json': toFile('tokens.json', '[]', 'no-store'),
    },
  };
};

/** A hash of the inputs. */
const keyOf = async (): Promise<string> => {
  const files = await Promise.all(INPUTS.map((input) => filesBelow(join(ROOT, input))));
  const texts = await Promise.all(
    files.flat().map(async (file) => [relative(ROOT, file), await readFile(file, 'base64')]),
  );
  return hash('sha256', JSON.stringify(texts)).slice(0, 16);
};

const filesBelow = async (path: string): Promise<string[]> => {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !isWrittenByBuild(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
};

/** Builds the site, or reads it from the cache if its inputs are the same. */
export const buildSite = async (): Promise<Buffer> => {
  const name = `site-${await keyOf()}.json`;
  const cached = await readFile(join(CACHE, name)).catch(() => undefined);
  if (cached) return cached;
  await mkdir(CACHE, { recursive: true });
  const root = await mkdtemp(join(CACHE, 'root-'));
  const site = await create(root).finally(() => rm(root, { recursive: true }));
  const earlier = (await readdir(CACHE)).filter((file) => file.startsWith('site-'));
  await Promise.all(earlier.map((file) => rm(join(CACHE, file), { force: true })));
  const content = Buffer.from(JSON.stringify(site));
  await writeFile(join(CACHE, `${process.pid}.new`), content);
  await rename(join(CACHE, `${process.pid}.new`), join(CACHE, name));
  return content;
};
