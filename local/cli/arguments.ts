import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { CliError } from './cli-error.ts';

/** Node's message has several sentences; the first sentence names the mistake. */
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

/** npm's own options among ours; they may be in the user's npm configuration. */
const NPM_OPTIONS = ['scope', 'help', 'yes', 'json'];

/** npm keeps the options before `--` for itself, and passes them on in variables. */
const rejectOptionsOfNpm = (names: readonly string[], environment: NodeJS.ProcessEnv): void => {
  const taken = names.filter(
    (name) => !NPM_OPTIONS.includes(name) && environment[`npm_config_${name.replaceAll('-', '_')}`] !== undefined,
  );
  if (taken.length === 0) return;
  const { npm_lifecycle_event: script = '' } = environment;
  const command = script === 'start' ? 'npm start' : `npm run ${script}`;
  const options = taken.map((name) => `--${name}`).join(' ');
  throw new CliError(`npm has taken ${options} for itself. Write -- before the options: ${command} -- ${options} …`, 2);
};

/** Node takes the last value of a repeated option. */
const rejectRepeated = (tokens: readonly { kind: string; name?: string }[]): void => {
  const names = tokens.flatMap(({ kind, name }) => (kind === 'option' ? [name] : []));
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) throw new Error(`Option '--${repeated}' is given twice`);
};

/**
 * Reads options, and up to the permitted number of other arguments.
 * @throws CliError with exit code 2 and one line
 */
export const parseArguments = <const O extends ParseArgsOptionsConfig>(
  args: readonly string[],
  { options, most }: { readonly options: O; readonly most: number },
  usage: string,
  environment: NodeJS.ProcessEnv = process.env,
) => {
  rejectOptionsOfNpm(Object.keys(options), environment);
  try {
    const config = {
      args: joinNegatives(args),
      options,
      strict: true,
      allowPositionals: most > 0,
      tokens: true,
    } as const;
    const { values, positionals, tokens } = parseArgs(config);
    rejectRepeated(tokens);
    if (positionals.length > most) throw new Error(`Unexpected argument '${positionals[most]}'`);
    return { values, positionals };
  } catch (error) {
    throw new CliError(`${firstSentence((error as Error).message)}; expected: ${usage}`, 2);
  }
};

/** As {@link parseArguments}, for a command that has only options. */
export const parseOptions = <const O extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: O,
  usage: string,
  environment: NodeJS.ProcessEnv = process.env,
) => parseArguments(args, { options, most: 0 }, usage, environment).values;
