import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '#infra/build/bundle.ts';
import { type Any, type Deployment, deploy, type Resource } from './deployment.ts';

/*
 * A part of `npm run generate`: writes infra/grants.json, the grants of the role of each function in stage dev. A change of a grant is
 * reviewed as a change of that file.
 */

export const GRANTS_FILE = join(ROOT, 'infra/grants.json');

/** The actions, by a readable name of the resource. */
export type Grants = Readonly<Record<string, readonly string[]>>;

/** `table invoices/index/by_status`, `queue exports`, `bucket exports/*`; the logical id of anything else. */
const readableName = (resource: Any): string => {
  if (typeof resource === 'string') return resource;
  if (resource['Fn::Join']) return resource['Fn::Join'][1].map(readableName).join('');
  const [id, attribute] = resource['Fn::GetAtt'] ?? [resource.Ref];
  return id.replace(/^(\w+)(table|queue|bucket)[0-9A-F]{8}$/, '$2 $1') + (attribute === 'StreamArn' ? '/stream' : '');
};

/** Everything that the role of a function allows. */
export const grantsOf = ({ functions, at }: Pick<Deployment, 'functions' | 'at'>, file: string): Grants => {
  const role = at(functions[file]?.Properties['Role']) as Resource;
  const statements = role.Properties['Policies'].flatMap(({ PolicyDocument }: Any) => PolicyDocument.Statement);
  const pairs: [resource: string, action: string][] = statements.flatMap(({ Effect, Action, Resource }: Any) => {
    if (Effect !== 'Allow') throw new Error(`${file} has a statement that does not allow.`);
    return [Resource].flat().flatMap((one) => [Action].flat().map((action) => [readableName(one), action]));
  });
  const byResource = Map.groupBy(pairs, ([resource]) => resource);
  return Object.fromEntries(
    [...byResource]
      .map(([resource, grants]) => [resource, [...new Set(grants.map(([, action]) => action))].sort()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

/** Whether a grant is on logs or traces, which are the same in every role. */
export const isTelemetry = (grant: string): boolean => /^(logs|xray):/.test(grant);

/** The text of the file, with a line for each resource of a function. */
export const grantsFile = (deployment: Pick<Deployment, 'functions' | 'at'>): string => {
  const linesOf = (file: string) =>
    Object.entries(grantsOf(deployment, file)).flatMap(([resource, actions]) =>
      actions.every(isTelemetry) ? [] : [[resource, actions.join(' ')]],
    );
  const files = Object.keys(deployment.functions).sort();
  const grants = Object.fromEntries(files.map((file) => [file, Object.fromEntries(linesOf(file))]));
  return `${JSON.stringify(grants, undefined, 2)}\n`;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(GRANTS_FILE, grantsFile(deploy()));
