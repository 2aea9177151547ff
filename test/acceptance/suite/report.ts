import type { Outcome, Result } from './run.ts';

const OUTCOMES: readonly Outcome[] = ['passed', 'failed', 'skipped'];

const countOf = (results: readonly Result[], outcome: Outcome): number =>
  results.filter((result) => result.outcome === outcome).length;

const secondsOf = (results: readonly Result[]): string =>
  (results.reduce((sum, { ms }) => sum + ms, 0) / 1000).toFixed(1);

/** One line for a group that has ended, and the checks in it that failed. */
export const progressOf = (name: string, results: readonly Result[]): string => {
  const counts = OUTCOMES.map((outcome) => [outcome, countOf(results, outcome)] as const);
  const words = counts
    .filter(([outcome, count]) => count > 0 || outcome === 'passed')
    .map(([outcome, count]) => `${count} ${outcome}`);
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const lines = failed.map(
    ({ title, clause, reason }) => `  FAIL  ${title} [${clause}]\n${reason.replace(/^/gm, '        ')}`,
  );
  return [`${failed.length > 0 ? 'FAIL' : 'ok  '}  ${name}: ${words.join(', ')}`, ...lines].join('\n');
};

/** A Markdown table: a row for each group, and the reasons for skipped checks. */
export const tableOf = (results: readonly Result[]): string => {
  const rows = [...Map.groupBy(results, ({ group }) => group), ['Total', results] as const].map(([name, own]) =>
    [name, ...OUTCOMES.map((outcome) => countOf(own, outcome)), secondsOf(own)].join(' | '),
  );
  const skipped = results.filter(({ outcome }) => outcome === 'skipped');
  const reasons = [...Map.groupBy(skipped, ({ reason }) => reason)].map(
    ([reason, own]) => `- ${own.length} skipped: ${reason}`,
  );
  return [
    `| group | ${OUTCOMES.join(' | ')} | seconds |`,
    '|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    ...(reasons.length > 0 ? ['', ...reasons] : []),
  ].join('\n');
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** XML 1.0 permits no other control characters. */
const escapeXml = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replace(/[&<>"]/g, (sign) => ESCAPES[sign] as string);

const caseOf = ({ group, clause, title, outcome, reason, ms }: Result): string => {
  const start = `<testcase classname="${escapeXml(group)}" name="${escapeXml(`${title} [${clause}]`)}" time="${ms / 1000}"`;
  if (outcome === 'passed') return `    ${start}/>`;
  const message = escapeXml(reason);
  const children = {
    failed: `<failure message="failed">${message}</failure>`,
    skipped: `<skipped message="${message}"/>`,
  };
  return `    ${start}>${children[outcome]}</testcase>`;
};

/** The results in JUnit's format, which continuous integration services read. */
export const junitOf = (results: readonly Result[]): string => {
  const suites = [...Map.groupBy(results, ({ group }) => group)].map(([name, own]) =>
    [
      `  <testsuite name="${escapeXml(name)}" tests="${own.length}" failures="${countOf(own, 'failed')}" errors="0" skipped="${countOf(own, 'skipped')}" time="${secondsOf(own)}">`,
      ...own.map(caseOf),
      '  </testsuite>',
    ].join('\n'),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="acceptance">',
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
};
