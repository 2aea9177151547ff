import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { CliError } from './cli-error.ts';

/** Node's message has several sentences; the first one names the mistake. */
const firstSentence = (text: string): string => text.split(/\.\s|\n/, 1)[0]?.replace(/\.$/, '') ?? '';

/** Turns `--expires-in -60` into `--expires-in=-60`: parseArgs reads a value with a leading dash as another option. */
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
