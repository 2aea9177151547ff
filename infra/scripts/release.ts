import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseOptions, runOperation } from '#infra/operations/operation-error.ts';
import { API, apiText, changesSinceRelease, DOCUMENT, documentText, RELEASED_API } from '#shared/openapi/source.ts';

/*
 * npm run release -- <version> --nightly <run>: writes the files of a release. The texts under [Unreleased] in CHANGELOG.md get the version
 * and today's date, the packages get the version, docs/api.txt becomes docs/api.released.txt, and the rows that the version stores are
 * recorded for the tests. A change that can break a client requires a new major version.
 * The release names the green run of .ci/nightly that it relies on, as a URL or a date. The script prints the commands for git, and does not run
 * them.
 */

const USAGE = 'npm run release -- <version> --nightly <URL or date>';

type Version = readonly [major: number, minor: number, patch: number];

const pathOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const read = (file: string): string => readFileSync(pathOf(file), 'utf8');
const write = (file: string, text: string): void => writeFileSync(pathOf(file), text);

/** @returns undefined for another format, also for a pre-release */
const parseVersion = (text: string): Version | undefined =>
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(text)?.slice(1).map(Number) as Version | undefined;

const isNewer = (one: Version, other: Version): boolean => {
  const [difference] = one.map((part, i) => part - (other[i] as number)).filter((part) => part !== 0);
  return difference !== undefined && difference > 0;
};

/** The reasons why this version cannot be released. */
const problemsOf = (text: string, nightly: string): string[] => {
  const { version: lastText } = JSON.parse(read('package.json')) as { version: string };
  const last = parseVersion(lastText) as Version;
  const version = parseVersion(text);
  if (!version) return [`Expected a version such as 1.2.3, not ${text || 'nothing'}. The last one is ${lastText}.`];
  if (!isNewer(version, last)) return [`${text} is not newer than ${lastText}.`];
  if (!/^(https:\/\/\S+|\d{4}-\d\d-\d\d)$/.test(nightly))
    return ['A release needs a green run of .ci/nightly for this commit: --nightly <its URL or date>.'];
  const breaking = version[0] > last[0] ? [] : changesSinceRelease();
  return [
    ...(/^## \[Unreleased\]\n\s*### /m.test(read('CHANGELOG.md'))
      ? []
      : ['CHANGELOG.md has nothing under [Unreleased].']),
    ...(breaking.length > 0 ? ['These changes can break a client, and require a new major version:', ...breaking] : []),
  ];
};

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
const RECORDER = 'test/behaviour/internal/stored-rows/released-rows.test.ts';

/** @throws Error if this code cannot use the rows of an earlier release */
const recordRows = (version: string): void => {
  const env = { ...process.env, RELEASE: version };
  execFileSync(process.execPath, [...JEST, RECORDER], { cwd: pathOf(''), env, stdio: 'pipe' });
};

const writeRelease = (version: string): void => {
  recordRows(version);
  const heading = '## [Unreleased]\n';
  const today = new Date().toISOString().slice(0, 10);
  write('CHANGELOG.md', read('CHANGELOG.md').replace(heading, `${heading}\n## [${version}] - ${today}\n`));
  for (const file of ['package.json', 'client/package.json', 'package-lock.json']) {
    const content = JSON.parse(read(file)) as { packages?: Record<string, object> };
    const packages = content.packages && {
      packages: { ...content.packages, '': { ...content.packages[''], version } },
    };
    write(file, `${JSON.stringify({ ...content, version, ...packages }, null, 2)}\n`);
  }
  writeFileSync(DOCUMENT, documentText());
  writeFileSync(API, apiText());
  copyFileSync(API, RELEASED_API);
};

await runOperation(async () => {
  const options = { nightly: { type: 'string', default: '' } } as const;
  const { values, positionals } = parseOptions({ options, most: 1 }, USAGE);
  const [version = ''] = positionals;
  const problems = problemsOf(version, values.nightly);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    return 1;
  }
  writeRelease(version);
  console.log(`Wrote the files of ${version}. Review them (git diff), run npm run check, and then:
  git add test/behaviour/internal/stored-rows/releases
  git commit --all --message 'Release ${version}' --message 'Nightly run: ${values.nightly}'
  git tag v${version}
  git push origin HEAD v${version}`);
  return 0;
});
