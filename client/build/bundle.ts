import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

const CLIENT = fileURLToPath(new URL('..', import.meta.url));

/** One file for browsers, Node and Lambda. The platform `browser` makes an import of a Node module fail the build. */
const OPTIONS = {
  absWorkingDir: CLIENT,
  entryPoints: ['source/index.ts'],
  bundle: true,
  minify: true,
  metafile: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  legalComments: 'none',
} as const satisfies BuildOptions;

const compiler = (): string => {
  const { resolve } = createRequire(import.meta.url);
  return join(dirname(resolve('typescript/package.json')), 'bin', 'tsc');
};

/** Writes the package's `index.js` and its declarations, and returns the size of `index.js` in bytes. */
export const buildClient = async (directory: string): Promise<number> => {
  const { metafile } = await build({ ...OPTIONS, outfile: join(directory, 'index.js') });
  const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', directory];
  execFileSync(process.execPath, [compiler(), '-p', CLIENT, ...flags], { stdio: 'inherit' });
  return Object.values(metafile.outputs)[0]?.bytes as number;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bytes = await buildClient(join(CLIENT, 'dist'));
  console.error(`client/dist/index.js: ${bytes.toLocaleString('en')} bytes`);
}
