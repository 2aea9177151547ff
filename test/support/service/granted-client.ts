import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { ROOT } from '#infra/build/bundle.ts';
import type { ClientOf } from '#local/app.ts';
import { tableVariables } from '#local/engines/tables.ts';

type Grants = Readonly<Record<string, string>>;

const GRANTS: Readonly<Record<string, Grants>> = JSON.parse(readFileSync(join(ROOT, 'infra/grants.json'), 'utf8'));

const FILES = new Map(Object.entries({ ...endpoints, ...workers }).map(([file, declared]) => [declared, file]));

const ACTIONS: Readonly<Record<string, string>> = {
  GetCommand: 'GetItem',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  DeleteCommand: 'DeleteItem',
  QueryCommand: 'Query',
  ScanCommand: 'Scan',
  BatchGetCommand: 'BatchGetItem',
};

interface Command {
  readonly input: {
    readonly TableName?: string;
    readonly IndexName?: string;
    readonly RequestItems?: object;
    readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName: string }>>[];
  };
}

/** The actions that DynamoDB authorizes for a command. A transaction needs the actions of its items. */
const actionsOf = (command: Command): { action: string; table: string; index?: string | undefined }[] => {
  const { TableName = '', IndexName: index, RequestItems, TransactItems } = command.input;
  if (TransactItems)
    return TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName }]) => ({ action: `${kind}Item`, table: TableName })),
    );
  const action = ACTIONS[command.constructor.name] as string;
  return (RequestItems ? Object.keys(RequestItems) : [TableName]).map((table) => ({ action, table, index }));
};

/**
 * A client that does only what the role of a function allows (infra/grants.json), as DynamoDB does on AWS.
 * @param environment has the names of the tables
 */
export const grantedClient: ClientOf = (declared, client, environment) => {
  const file = FILES.get(declared);
  if (!file) return client;
  const grants = GRANTS[file] as Grants;
  const names = Object.fromEntries(
    Object.entries(tableVariables()).map(([variable, name]) => [environment[variable], name]),
  );
  const isGranted = ({ action, table, index }: ReturnType<typeof actionsOf>[number]) =>
    grants[`table ${names[table]}${index ? `/index/${index}` : ''}`]?.split(' ').includes(`dynamodb:${action}`);
  const send = async (command: Command, options: object) => {
    const refused = actionsOf(command).filter((one) => !isGranted(one));
    if (refused.length > 0)
      throw Object.assign(new Error(`The role of ${file} does not allow ${JSON.stringify(refused)}.`), {
        name: 'AccessDeniedException',
      });
    return client.send(command as Parameters<typeof client.send>[0], options);
  };
  return Object.assign(Object.create(client), { send });
};
