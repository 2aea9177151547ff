import type { BaseIssue } from 'valibot';
import type { Violation } from '#shared/platform/problem.ts';

/** Joins code and detail into a schema's message; {@link codeAndDetail} splits them. */
export const issue = (code: string, detail: string): string => `${code}: ${detail}`;

const MISSING = issue('required', 'is required');

/** Never returns the validation library's own texts. */
export const codeAndDetail = (issue: BaseIssue<unknown>): { code: string; detail: string } => {
  const absent = issue.path?.at(-1)?.origin === 'key' && issue.expected !== 'never';
  const message = absent ? MISSING : issue.message;
  const end = message.indexOf(': ');
  return { code: message.slice(0, end), detail: message.slice(end + 2) };
};

export const violation = (issue: BaseIssue<unknown>): Violation => ({
  pointer: (issue.path ?? []).map(({ key }) => `/${escapePointer(key)}`).join(''),
  ...codeAndDetail(issue),
});

/**
 * Only the first unknown name lists the allowed names, to keep responses short.
 * @param i the number of unknown names before this one
 */
export const describeUnknown = (allowed: readonly string[], i: number): string =>
  i > 0
    ? 'is unknown, too'
    : allowed.length > 0
      ? `is not one of ${allowed.join(', ')}`
      : 'is unknown: none is allowed';

const escapePointer = (key: unknown): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');
