import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { updateReference } from '#infra/scripts/update-reference.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

test('the script of the docs page: is that of its release, and the licence lies next to it', async () => {
  const folder = join(ROOT, 'shared/openapi/scalar');
  const script = await readFile(join(folder, 'standalone.js'));
  const release = JSON.parse(await readFile(join(folder, 'release.json'), 'utf8'));
  expect(release).toMatchObject({ package: '@scalar/api-reference', license: 'MIT', sha256: sha256(script) });
  expect(script.includes(`${release.package}@${release.version}`)).toBe(true);
  expect(await readFile(join(folder, 'LICENSE'), 'utf8')).toContain('Copyright (c) 2023-present Scalar');
});

deepTest('another version: replaces the script, and writes its version, licence and hash', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  try {
    const script = 'console.log("another version");\n';
    const description = { name: 'reference', version: '9.8.7', license: 'ISC' };
    await mkdir(join(folder, 'dist/browser'), { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify(description));
    await writeFile(join(folder, 'dist/browser/standalone.js'), script);
    await writeFile(join(folder, 'standalone.js'), 'an older version');
    await updateReference(folder, folder);
    expect(await readFile(join(folder, 'standalone.js'), 'utf8')).toBe(script);
    expect(JSON.parse(await readFile(join(folder, 'release.json'), 'utf8'))).toEqual({
      package: 'reference',
      version: '9.8.7',
      license: 'ISC',
      integrity: expect.stringMatching(/^sha512-/),
      file: 'dist/browser/standalone.js',
      sha256: sha256(script),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
