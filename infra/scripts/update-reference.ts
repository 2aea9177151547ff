import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/*
 * node infra/scripts/update-reference.ts [<version>]: replaces the script of the docs page,
 * shared/openapi/scalar/standalone.js, with the script of another version of @scalar/api-reference (default: the
 * newest). The package itself is not a dependency: it would install 258 packages for this one file.
 */

const PACKAGE = '@scalar/api-reference';
const FILE = 'dist/browser/standalone.js';
const DIRECTORY = fileURLToPath(new URL('../../shared/openapi/scalar/', import.meta.url));

/** The contents of `release.json`. */
interface Release {
  readonly package: string;
  readonly version: string;
  readonly license: string;
  /** The hash of the package in the registry, which `npm pack` verifies. */
  readonly integrity: string;
  readonly file: string;
  readonly sha256: string;
}

const run = promisify(execFile);

/**
 * Writes the script and its `release.json`.
 * @param source a package, as for `npm pack`
 */
export const updateReference = async (source: string, directory: string): Promise<Release> => {
  const folder = await mkdtemp(join(tmpdir(), 'reference-'));
  try {
    const { stdout } = await run('npm', ['pack', source, '--json', '--pack-destination', folder]);
    const [{ filename, integrity }] = JSON.parse(stdout);
    await run('tar', ['-xzf', filename, 'package/package.json', `package/${FILE}`], { cwd: folder });
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'));
    const script = join(folder, 'package', FILE);
    const sha256 = createHash('sha256')
      .update(await readFile(script))
      .digest('hex');
    const release = { package: name, version, license, integrity, file: FILE, sha256 };
    await copyFile(script, join(directory, 'standalone.js'));
    await writeFile(join(directory, 'release.json'), `${JSON.stringify(release, undefined, 2)}\n`);
    return release;
  } finally {
    await rm(folder, { recursive: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { version, sha256 } = await updateReference(`${PACKAGE}@${process.argv[2] ?? 'latest'}`, DIRECTORY);
  console.log(`${PACKAGE} ${version}, SHA-256 ${sha256}. Run npm run test:browser, and commit shared/openapi/scalar.`);
}
