import { ProblemError } from '#shared/platform/problem.ts';

export type Metadata = Record<string, string>;

export const METADATA_PAIRS = 20;
export const METADATA_KEY_LENGTH = 40;
export const METADATA_VALUE_LENGTH = 500;

/**
 * Checks the number of pairs after a merge patch, which the schema of the patch cannot know.
 * @throws ProblemError `validation-failed`
 */
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
