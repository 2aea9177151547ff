import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A stack with 300 resources takes 100 KB. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs the AWS CLI, which finds the operator's credentials and region, and parses its output. */
export const aws = async (...args: readonly string[]): Promise<unknown> => {
  const command = [...args, '--output', 'json'];
  const { stdout } = await promisify(execFile)('aws', command, { maxBuffer: MAX_OUTPUT_BYTES });
  return JSON.parse(stdout);
};
