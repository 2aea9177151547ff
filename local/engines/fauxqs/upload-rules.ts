import type { IncomingHttpHeaders } from 'node:http';
import { RequestError } from './request-error.ts';

export interface UploadInProgress {
  readonly checksumAlgorithm?: string | undefined;
}

const MAX_PARTS = 10_000;

/** The algorithm of a checksum in a header or a trailer: `crc32` of `x-amz-checksum-crc32`. */
const checksumOf = (headers: IncomingHttpHeaders): string | undefined => {
  const names = [...Object.keys(headers), ...String(headers['x-amz-trailer'] ?? '').split(',')];
  const found = names.map((name) => /^x-amz-checksum-(?!algorithm|type|mode)(\w+)$/.exec(name.trim())?.[1]);
  return found.find((name) => name !== undefined)?.toLowerCase();
};

/**
 * Checks S3's rules of a part, which the engine does not check.
 * @throws RequestError 400 InvalidArgument for the part number, 400 InvalidRequest for a checksum that its upload did not
 * declare
 */
export const checkPart = (
  number: string | null,
  headers: IncomingHttpHeaders,
  upload: UploadInProgress | undefined,
): void => {
  if (!/^\d+$/.test(number ?? '') || Number(number) < 1 || Number(number) > MAX_PARTS) {
    const message = `Part number must be an integer between 1 and ${MAX_PARTS}, inclusive`;
    throw new RequestError(400, 'InvalidArgument', message);
  }
  if (!upload) return;
  const [expected, actual] = [upload.checksumAlgorithm?.toLowerCase(), checksumOf(headers)];
  if (expected === actual) return;
  const types = `expected checksum Type: ${expected ?? 'null'}, actual checksum Type: ${actual ?? 'null'}`;
  throw new RequestError(400, 'InvalidRequest', `Checksum Type mismatch occurred, ${types}`);
};

/**
 * Checks S3's rule that the engine does not check: parts with checksums are numbered from 1 without gaps.
 * @param body the list of the parts, as XML
 * @throws RequestError 400 InvalidPartOrder
 */
export const checkCompletion = (body: string, { checksumAlgorithm }: UploadInProgress): void => {
  const numbers = [...body.matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number));
  if (!checksumAlgorithm || numbers.every((number, i) => number === i + 1)) return;
  throw new RequestError(400, 'InvalidPartOrder', 'The part numbers must start at 1 and be consecutive.');
};
