import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { CliError } from './cli-error.ts';

/** Node explains a mistake in several sentences; the first one names it. */
const firstSentence = (text: string): string => text.split(/\.\s|\n/, 1)[0]?.replace(/\.$/, '') ?? '';

/** `--expires-in -60` as `--expires-in=-60`: parseArgs takes a value that begins with a dash for another option. */
const joinNegatives = (args: readonly string[]): string[] => {
  const joined: string[] = [];
  for (const arg of args) {
    const option = joined.at(-1);
    const isValue = /^-\d/.test(arg) && option?.startsWith('--') && !option.includes('=');
    if (isValue) joined[joined.length - 1] = `${option}=${arg}`;
    else joined.push(arg);
  }
  return joined;
};

/**
 * Reads a command's options.
 * @param usage what the command expects, in one line
 * @throws Failure saying so
 */
export const parseOptions = <const O extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: O,
  usage: string,
) => {
  try {
    return parseArgs({ args: joinNegatives(args), options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new CliError(`${firstSentence((error as Error).message)}; expected: ${usage}`, 2);
  }
};
