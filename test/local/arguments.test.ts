import { expect, test } from '@jest/globals';
import { parseArguments, parseOptions } from '#local/cli/arguments.ts';

const OPTIONS = {
  seed: { type: 'boolean' },
  account: { type: 'string' },
  scope: { type: 'string' },
  'expires-in': { type: 'string' },
} as const;

const parse = (args: readonly string[], environment: NodeJS.ProcessEnv) =>
  parseOptions(args, OPTIONS, 'usage', environment);

test('npm start --seed, which npm takes for itself: one line with the right command', () => {
  expect(() => parse([], { npm_lifecycle_event: 'start', npm_config_seed: 'true' })).toThrow(
    'npm has taken --seed for itself. Write -- before the options: npm start -- --seed …',
  );
});

test('npm run token --account acct_1 --expires-in 60: one line with both options', () => {
  const environment = { npm_lifecycle_event: 'token', npm_config_account: 'true', npm_config_expires_in: 'true' };
  expect(() => parse(['acct_1', '60'], environment)).toThrow(
    'Write -- before the options: npm run token -- --account --expires-in …',
  );
});

test('an option of npm’s own in the user’s configuration: ignored', () => {
  const environment = { npm_lifecycle_event: 'token', npm_config_scope: '@company' };
  expect(parse(['--account', 'acct_1'], environment)).toEqual({ account: 'acct_1' });
});

test('an option that is given twice: refused, because Node would take the last value', () => {
  expect(() => parse(['--account', 'acct_1', '--account=acct_2'], {})).toThrow(
    "Option '--account' is given twice; expected: usage",
  );
});

test('more arguments than a command has: the first one too many is named', () => {
  const most = (count: number) => () => parseArguments(['a', 'b'], { options: OPTIONS, most: count }, 'usage', {});
  expect(most(2)().positionals).toEqual(['a', 'b']);
  expect(most(1)).toThrow("Unexpected argument 'b'; expected: usage");
});
