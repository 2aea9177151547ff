import { stages } from '#infra/settings/stages.ts';
import { aws } from './aws-cli.ts';
import { OperationError } from './operation-error.ts';

export interface StackResource {
  readonly logical: string;
  readonly physical: string;
  readonly type: string;
}

/** @throws OperationError for an unknown stage */
export const stackNameOf = (stage: string): string => {
  if (!Object.hasOwn(stages, stage))
    throw new OperationError(`--stage must be one of ${Object.keys(stages).join(', ')}, not ${JSON.stringify(stage)}.`);
  return `invoicing-${stage}`;
};

/** @throws OperationError if the AWS CLI does not find the stack */
export const readStack = async (name: string): Promise<{ region: string; resources: readonly StackResource[] }> => {
  const arn = aws('cloudformation', 'describe-stacks', '--stack-name', name, '--query', 'Stacks[0].StackId');
  const [id, resources] = await Promise.all([arn, resourcesOf(name)]).catch(({ message }: Error) => {
    throw new OperationError(`Cannot read the stack ${name}: ${message}`);
  });
  return { region: String(id).split(':')[3] as string, resources };
};

interface DeployedFunction {
  readonly name: string;
  /** The reserved executions of the template. */
  readonly reserved?: number;
}

/** The functions of a stack, which are in nested stacks. @throws OperationError for a stack without functions */
export const readFunctions = async (name: string): Promise<readonly DeployedFunction[]> => {
  const { resources } = await readStack(name);
  const nested = resources.filter(({ type }) => type === 'AWS::CloudFormation::Stack');
  const all = await Promise.all([name, ...nested.map(({ physical }) => physical)].map(functionsOf));
  if (all.flat().length === 0) throw new OperationError(`The stack ${name} has no functions.`);
  return all.flat();
};

const functionsOf = async (stack: string): Promise<readonly DeployedFunction[]> => {
  const functions = (await resourcesOf(stack)).filter(({ type }) => type === 'AWS::Lambda::Function');
  if (functions.length === 0) return [];
  const query = ['--query', 'TemplateBody.Resources'];
  const template = (await aws('cloudformation', 'get-template', '--stack-name', stack, ...query)) as Template;
  return functions.map(({ logical, physical }) => {
    const reserved = template[logical]?.Properties?.ReservedConcurrentExecutions;
    return { name: physical, ...(reserved !== undefined && { reserved }) };
  });
};

type Template = Readonly<Record<string, { readonly Properties?: { readonly ReservedConcurrentExecutions?: number } }>>;

const resourcesOf = async (stack: string): Promise<readonly StackResource[]> => {
  const parts = '{logical: LogicalResourceId, physical: PhysicalResourceId, type: ResourceType}';
  const query = ['--query', `StackResourceSummaries[].${parts}`];
  const resources = await aws('cloudformation', 'list-stack-resources', '--stack-name', stack, ...query);
  return resources as readonly StackResource[];
};
