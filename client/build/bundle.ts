import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';

const CLIENT = fileURLToPath(new URL('..', import.meta.url));

/** One file for browsers, Node and Lambda. The platform `browser` makes an import of a Node module fail the build. */
const OPTIONS = {
  absWorkingDir: CLIENT,
  entryPoints: ['source/index.ts'],
  bundle: true,
  // Bundlers minify. Stack traces name the functions of the readable file, and its sources with the map.
  sourcemap: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  banner: { js: '/*! Contains @noble/hashes: MIT License, Copyright (c) 2022 Paul Miller (https://paulmillr.com) */' },
} as const satisfies BuildOptions;

const compiler = (): string => {
  const { resolve } = createRequire(import.meta.url);
  return join(dirname(resolve('typescript/package.json')), 'bin', 'tsc');
};

/** Writes the module, its source map and its declarations. */
export const buildClient = (directory: string): void => {
  buildSync({ ...OPTIONS, outfile: join(directory, 'index.js') });
  const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', directory];
  execFileSync(process.execPath, [compiler(), '-p', CLIENT, ...flags], { stdio: 'inherit' });
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(join(CLIENT, 'dist'), { recursive: true, force: true });
  buildClient(join(CLIENT, 'dist'));
  // npm packs only a licence that is next to package.json.
  copyFileSync(join(CLIENT, '../LICENSE'), join(CLIENT, 'LICENSE'));
}
