import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { OperationError } from './operation-error.ts';

/** A stack with 300 resources takes 100 KB. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The error of a process: the CLI prints its reason to standard error, after an empty line. */
interface Failure extends Error {
  readonly code?: string | number;
  readonly stderr?: string;
}

/**
 * Runs the AWS CLI, which finds the operator's credentials and region, and parses its output.
 * @throws OperationError with the reason of the CLI in one line
 */
export const aws = async (...args: readonly string[]): Promise<unknown> => {
  const command = [...args, '--output', 'json'];
  try {
    const { stdout } = await promisify(execFile)('aws', command, { maxBuffer: MAX_OUTPUT_BYTES });
    return JSON.parse(stdout);
  } catch (error) {
    const { code, stderr, message } = error as Failure;
    if (code === 'ENOENT') throw new OperationError('The AWS CLI (aws) is not installed.');
    const reason = (stderr || message).trim().replaceAll(/\s+/g, ' ');
    throw new OperationError(`aws ${args.slice(0, 2).join(' ')}: ${reason}`);
  }
};
