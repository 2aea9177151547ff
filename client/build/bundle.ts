import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

const CLIENT = fileURLToPath(new URL('..', import.meta.url));

/** One file for browsers, Node and Lambda: an import of a module that only Node has fails the build. */
export const OPTIONS = {
  absWorkingDir: CLIENT,
  entryPoints: ['source/index.ts'],
  outfile: 'dist/index.js',
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  legalComments: 'none',
} as const satisfies BuildOptions;

/** Writes the declarations beside it. */
const declarations = (): void => {
  const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', 'dist'];
  execFileSync('tsc', ['-p', '.', ...flags], { cwd: CLIENT, stdio: 'inherit' });
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { metafile } = await build({ ...OPTIONS, metafile: true });
  declarations();
  const [bytes = 0] = Object.values(metafile.outputs).map((output) => output.bytes);
  console.error(`client/dist/index.js: ${bytes.toLocaleString('en')} bytes`);
}
