import type { Entity } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

/** RFC 9110 §8.8.3: an entity tag, perhaps weak. */
const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
/** Empty elements of a list are ignored (RFC 9110 §5.6.1.2). */
const LIST = new RegExp(`^[\\s,]*${TAG}(?:\\s*,[\\s,]*${TAG})*[\\s,]*$`);

/** A member's tag: the version of its stored state, and with an expanded relation that one's, too (CONTRACT §7). */
export const entityTag = (version: number, ...related: readonly number[]): string =>
  `"${[version, ...related].join('-')}"`;

const tags = (header: string): string[] | undefined =>
  LIST.test(header) ? (header.match(new RegExp(TAG, 'g')) ?? []).map((tag) => tag.replace(/^W\//, '')) : undefined;

/**
 * The test that `If-Match` makes of a member (RFC 9110 §13.1.1). A `W/` that a proxy added does not count, and of
 * an expanded tag only the first part does: the tag is the state's version.
 * @throws ProblemError `invalid-header` when the header is malformed
 */
export const ifMatch = (header: string | undefined): (<T extends Entity>(member: T) => T) => {
  if (header === undefined || header.trim() === '*') return (member) => member;
  const accepted = tags(header)?.map((tag) => tag.slice(1, -1).split('-')[0]);
  if (!accepted) {
    const detail = `If-Match is ${quote(header)}, which is neither * nor a list of entity tags.`;
    throw new ProblemError('invalid-header', { detail });
  }
  return (member) => {
    if (accepted.includes(String(member.version))) return member;
    const { version } = member;
    const detail = `If-Match is ${quote(header)}; the resource has ${entityTag(version)}.`;
    throw new ProblemError('precondition-failed', { detail, version });
  };
};

/** Whether `If-None-Match` (RFC 9110 §13.1.2) names the current tag; the comparison is weak. */
export const isNotModified = (header: string | undefined, current: string): boolean =>
  header !== undefined && (header.trim() === '*' || (tags(header)?.includes(current) ?? false));
