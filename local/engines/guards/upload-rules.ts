import type { IncomingHttpHeaders } from 'node:http';
import { GuardError } from './guard.ts';

/** An upload in parts as the engine holds it, as far as S3's rules need it. */
export interface UploadInProgress {
  /** What CreateMultipartUpload declared. */
  readonly checksumAlgorithm?: string | undefined;
}

const MOST_PARTS = 10_000;

/** The checksum of a body, sent before or after it: `crc32` of `x-amz-checksum-crc32`. */
const checksumOf = (headers: IncomingHttpHeaders): string | undefined => {
  const names = [...Object.keys(headers), ...String(headers['x-amz-trailer'] ?? '').split(',')];
  const found = names.map((name) => /^x-amz-checksum-(?!algorithm|type|mode)(\w+)$/.exec(name.trim())?.[1]);
  return found.find((name) => name !== undefined)?.toLowerCase();
};

/**
 * What S3 demands of a part, and the engine does not.
 * @throws Refused 400 InvalidArgument for its number, 400 InvalidRequest for a checksum that its upload did not declare
 */
export const checkPart = (
  number: string | null,
  headers: IncomingHttpHeaders,
  upload: UploadInProgress | undefined,
): void => {
  if (!/^\d+$/.test(number ?? '') || Number(number) < 1 || Number(number) > MOST_PARTS) {
    const message = `Part number must be an integer between 1 and ${MOST_PARTS}, inclusive`;
    throw new GuardError(400, 'InvalidArgument', message);
  }
  if (!upload) return;
  const [expected, actual] = [upload.checksumAlgorithm?.toLowerCase(), checksumOf(headers)];
  if (expected === actual) return;
  const types = `expected checksum Type: ${expected ?? 'null'}, actual checksum Type: ${actual ?? 'null'}`;
  throw new GuardError(400, 'InvalidRequest', `Checksum Type mismatch occurred, ${types}`);
};

/**
 * What S3 demands of a completion, and the engine does not: where parts have checksums, they are numbered from 1 without
 * gaps.
 * @param body the list of the parts, as XML
 * @throws Refused 400 InvalidPartOrder
 */
export const checkCompletion = (body: string, { checksumAlgorithm }: UploadInProgress): void => {
  const numbers = [...body.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number));
  if (!checksumAlgorithm || numbers.every((number, i) => number === i + 1)) return;
  throw new GuardError(400, 'InvalidPartOrder', 'The part numbers must start at 1 and be consecutive.');
};
