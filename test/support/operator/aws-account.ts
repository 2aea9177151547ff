import { search } from '@aws-lambda-powertools/jmespath';

/** A refusal of the AWS CLI. */
export class AwsError extends Error {}

/**
 * The contents of an AWS account: the physical ids of the resources of a stack and of its nested stacks, and
 * descriptions.
 */
export interface AwsAccount {
  readonly stacks: Readonly<Record<string, readonly StackResource[]>>;
  /** The templates of the stacks. */
  readonly templates: Readonly<Record<string, object>>;
  /** The descriptions, by the name of the function. */
  readonly descriptions: Readonly<Record<string, string>>;
}

interface StackResource {
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId: string;
  readonly ResourceType: string;
}

type Options = Readonly<Record<string, string>>;
type Result = Readonly<Record<string, unknown>>;
type Answer = (options: Options, account: AwsAccount, restored: Set<string>) => Result;

const EXCEPTION = 'An error occurred:';

const stackOf = ({ 'stack-name': name = '' }: Options, { stacks }: AwsAccount) => {
  const resources = stacks[name];
  if (!resources) throw new AwsError(`${EXCEPTION} Stack with id ${name} does not exist`);
  return {
    resources,
    StackId: name.startsWith('arn:') ? name : `arn:aws:cloudformation:eu-central-1:1:stack/${name}/x`,
  };
};

const resource = (type: string, name: string | undefined, { stacks }: AwsAccount): string => {
  const all = Object.values(stacks).flat();
  const found = all.find((one) => one.ResourceType === type && one.PhysicalResourceId === name);
  if (!found) throw new AwsError(`${EXCEPTION} ${type} not found: ${name}`);
  return found.PhysicalResourceId;
};

const lambda: Answer = ({ 'function-name': name }, account) => ({
  FunctionName: resource('AWS::Lambda::Function', name, account),
  Description: account.descriptions[name as string] ?? null,
});

/** The operations that the documents use, and the options of each. */
const OPERATIONS: Readonly<Record<string, readonly [options: readonly string[], answer: Answer]>> = {
  'cloudformation list-stack-resources': [
    ['stack-name'],
    (options, account) => ({ StackResourceSummaries: stackOf(options, account).resources }),
  ],
  'cloudformation describe-stacks': [
    ['stack-name'],
    (options, account) => ({ Stacks: [{ StackId: stackOf(options, account).StackId }] }),
  ],
  'cloudformation get-template': [
    ['stack-name'],
    (options, account) => ({ TemplateBody: { Resources: account.templates[options['stack-name'] ?? ''] } }),
  ],
  'lambda get-function-configuration': [['function-name'], lambda],
  'lambda update-function-configuration': [['function-name', 'description'], lambda],
  'lambda wait function-updated-v2': [['function-name'], lambda],
  'lambda put-function-concurrency': [['function-name', 'reserved-concurrent-executions'], lambda],
  'lambda delete-function-concurrency': [['function-name'], lambda],
  'dynamodb restore-table-to-point-in-time': [
    ['source-table-name', 'target-table-name', 'restore-date-time'],
    (
      { 'source-table-name': source, 'target-table-name': target = '', 'restore-date-time': time = '' },
      account,
      restored,
    ) => {
      resource('AWS::DynamoDB::GlobalTable', source, account);
      if (restored.has(target)) throw new AwsError(`${EXCEPTION} Table already exists: ${target}`);
      if (Number.isNaN(Date.parse(time))) throw new AwsError(`Invalid timestamp "${time}"`);
      restored.add(target);
      return { TableDescription: { TableName: target } };
    },
  ],
  'dynamodb list-tables': [[], (_, __, restored) => ({ TableNames: [...restored] })],
  'dynamodb delete-table': [
    ['table-name'],
    ({ 'table-name': TableName = '' }) => {
      if (!TableName.startsWith('restored-')) throw new AwsError(`${EXCEPTION} ${TableName} has deletion protection.`);
      return { TableDescription: { TableName } };
    },
  ],
};

/** Options that each operation has. */
const COMMON = ['query', 'output'];

/** Reads the operation and the options of a command line. */
export const parseAws = (args: readonly string[]): { operation: string; options: Options } => {
  const at = args.findIndex((arg) => arg.startsWith('--'));
  const rest = at < 0 ? [] : args.slice(at);
  const pairs = rest.flatMap((arg, i) => (i % 2 === 0 ? [[arg.replace(/^--/, ''), rest[i + 1] ?? '']] : []));
  return { operation: args.slice(0, at < 0 ? undefined : at).join(' '), options: Object.fromEntries(pairs) };
};

/** ListStackResources returns pages, and with `--output text` the CLI applies `--query` to each page alone. */
const PAGE_SIZE = 20;

const pagesOf = (result: Result): Result[] => {
  const [key, items] = Object.entries(result)[0] ?? [];
  if (key === undefined || !Array.isArray(items)) return [result];
  const pages = Array.from({ length: Math.max(1, Math.ceil(items.length / PAGE_SIZE)) }, (_, i) => i * PAGE_SIZE);
  return pages.map((from) => ({ [key]: items.slice(from, from + PAGE_SIZE) }));
};

/** The text format of the CLI: a line for a list, with tabs. */
const textOf = (value: unknown): string => {
  if (value === null) return 'None\n';
  if (!Array.isArray(value)) return `${typeof value === 'object' ? JSON.stringify(value) : value}\n`;
  if (value.some(Array.isArray)) return value.map(textOf).join('');
  return value.length === 0 ? '' : `${value.join('\t')}\n`;
};

/**
 * Answers as the AWS CLI does in an account.
 * @throws AwsError for an unknown operation, option or resource
 */
export const answerAws = (account: AwsAccount, restored: Set<string>, args: readonly string[]): string => {
  const { operation, options } = parseAws(args);
  const { query, output = 'json', ...own } = options;
  const [known, answer] = OPERATIONS[operation] ?? [];
  if (!known || !answer) throw new AwsError(`aws: the tests do not know the operation ${operation}.`);
  const missing = known.filter((option) => !own[option]);
  const unknown = Object.keys(own).filter((option) => ![...known, ...COMMON].includes(option));
  if (missing.length + unknown.length > 0)
    throw new AwsError(`aws ${operation}: missing options: ${missing.join()}; unknown: ${unknown.join()}`);
  const result = answer(own, account, restored);
  const selected = (output === 'text' ? pagesOf(result) : [result]).map((page) => (query ? search(query, page) : page));
  return output === 'text' ? selected.map(textOf).join('') : `${JSON.stringify(selected[0], null, 4)}\n`;
};
