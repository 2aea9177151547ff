import type { BaseIssue } from 'valibot';
import type { Violation } from '#shared/platform/problem.ts';

/** The message of a schema: the violation's stable code and its sentence, which {@link codeAndDetail} takes apart. */
export const issue = (code: string, detail: string): string => `${code}: ${detail}`;

const MISSING = issue('required', 'is required');

/** The code and the sentence of a schema's issue; never the validation library's own words. */
export const codeAndDetail = (issue: BaseIssue<unknown>): { code: string; detail: string } => {
  const absent = issue.path?.at(-1)?.origin === 'key' && issue.expected !== 'never';
  const message = absent ? MISSING : issue.message;
  const end = message.indexOf(': ');
  return { code: message.slice(0, end), detail: message.slice(end + 2) };
};

const escapePointer = (key: unknown): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

/** A violation at its place in the body (RFC 6901). */
export const violation = (issue: BaseIssue<unknown>): Violation => ({
  pointer: (issue.path ?? []).map(({ key }) => `/${escapePointer(key)}`).join(''),
  ...codeAndDetail(issue),
});

/**
 * What is wrong with an unknown name. Only the first of several lists the allowed names, so that a response is not many
 * times as long as the request.
 * @param i the number of unknown names before it
 */
export const describeUnknown = (allowed: readonly string[], i: number): string =>
  i > 0 ? 'is unknown, too' : allowed.length > 0 ? `is none of ${allowed.join(', ')}` : 'is unknown: none is allowed';
