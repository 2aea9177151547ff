import { type CfnElement, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';

// biome-ignore lint/suspicious/noExplicitAny: a template holds any JSON
type Any = any;

interface Sections {
  readonly Resources: Record<string, Any>;
  readonly Outputs?: Record<string, Any>;
}

interface FlatTemplate extends Required<Sections> {
  /** The resources of the stack, whose name is empty, and of each nested stack, by the logical id of that stack. */
  readonly stacks: ReadonlyMap<string, Record<string, Any>>;
}

const NESTED = 'AWS::CloudFormation::Stack';

const templateOf = (stack: Stack): Sections => Template.fromStack(stack).toJSON() as Sections;

/** The template of a stack, and the templates of its nested stacks by the logical ids of their resources. */
const templatesOf = (stack: Stack): { readonly root: Sections; readonly nested: ReadonlyMap<string, Sections> } => {
  const root = templateOf(stack);
  const stacks = stack.node.children.filter((child): child is NestedStack => NestedStack.isNestedStack(child));
  return {
    root,
    nested: new Map(
      stacks.map((one) => [stack.resolve((one.nestedStackResource as CfnElement).logicalId), templateOf(one)] as const),
    ),
  };
};

/**
 * One template with the resources of a stack and of its nested stacks. The references to parameters and outputs of
 * these stacks are replaced by their values.
 */
export const flatTemplate = (stack: Stack): FlatTemplate => {
  const { root, nested } = templatesOf(stack);

  /** Replaces the parameters of a nested stack, or in the root the outputs of nested stacks. */
  const replaceIn = (value: Any, parameters: Readonly<Record<string, Any>>): Any => {
    if (Array.isArray(value)) return value.map((one) => replaceIn(one, parameters));
    if (typeof value !== 'object' || value === null) return value;
    if (typeof value.Ref === 'string' && value.Ref in parameters) return replaceIn(parameters[value.Ref], {});
    const [id, name = ''] = Array.isArray(value['Fn::GetAtt']) ? value['Fn::GetAtt'] : [];
    const source = nested.get(id);
    if (source) return replaceIn(source.Outputs?.[name.replace(/^Outputs\./, '')].Value, parametersOf(id));
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaceIn(one, parameters)]));
  };
  const parametersOf = (id: string): Readonly<Record<string, Any>> => root.Resources[id].Properties.Parameters ?? {};

  const own = Object.entries(root.Resources).filter(([, { Type }]) => Type !== NESTED);
  const resources = [
    ...own.map(([id, resource]) => [id, replaceIn(resource, {})]),
    ...[...nested].flatMap(([id, { Resources }]) => Object.entries(replaceIn(Resources, parametersOf(id)))),
  ];
  const flat: Record<string, Any> = Object.fromEntries(resources);
  if (Object.keys(flat).length < resources.length) throw new Error('Two stacks have a resource with the same id.');
  for (const resource of Object.values(flat)) {
    if (!resource.DependsOn) continue;
    resource.DependsOn = [resource.DependsOn]
      .flat()
      .flatMap((id: string) => (nested.has(id) ? Object.keys(nested.get(id)?.Resources ?? {}) : [id]));
  }
  const stacks = new Map([['', root] as const, ...nested].map(([id, { Resources }]) => [id, Resources]));
  return { Resources: flat, Outputs: replaceIn(root.Outputs ?? {}, {}), stacks };
};
