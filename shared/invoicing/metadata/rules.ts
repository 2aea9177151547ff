import { ProblemError } from '#shared/platform/problem.ts';

/** A client's own pairs (CONTRACT §4): keys of at most 40 characters, values of at most 500. */
export type Metadata = Record<string, string>;

export const METADATA_PAIRS = 20;
export const METADATA_KEY_LENGTH = 40;
export const METADATA_VALUE_LENGTH = 500;

/** Refuses metadata that a merge has made too large; the patch alone cannot tell. */
export const checkMetadata = <T extends { metadata: Metadata }>(member: T): T => {
  if (Object.keys(member.metadata).length > METADATA_PAIRS) {
    throw new ProblemError('validation-failed', {
      violations: [
        { pointer: '/metadata', code: 'too-many', detail: `holds more than ${METADATA_PAIRS} pairs once merged` },
      ],
    });
  }
  return member;
};
