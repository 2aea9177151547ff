import { GetRolePolicyCommand, IAMClient, ListRolePoliciesCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import type { Account } from './account.ts';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

interface Policy {
  readonly Statement: readonly Statement[];
}

/** One action of a statement of a role's only policy. */
export interface Grant {
  readonly action: string;
  /** Takes the action from the role. */
  take(): Promise<void>;
  /** Gives the role its policy back. */
  giveBack(): Promise<void>;
}

const actionsOf = ({ Action }: Statement): readonly string[] => (typeof Action === 'string' ? [Action] : Action);

const without = (policy: Policy, statement: Statement, action: string): Policy => ({
  ...policy,
  Statement: policy.Statement.flatMap((each) => {
    if (each !== statement) return [each];
    const Action = actionsOf(each).filter((one) => one !== action);
    return Action.length > 0 ? [{ ...each, Action }] : [];
  }),
});

interface Deployed {
  /** The route of an endpoint, or the name of a worker. */
  readonly description: string;
  /** CloudFormation derives the names of roles in nested stacks from hashes. */
  readonly role: string;
}

const functionsOf = async ({ environment }: Account): Promise<readonly Deployed[]> => {
  const { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_REGION } = environment;
  const credential = `${AWS_ACCESS_KEY_ID}/20260101/${AWS_REGION}/lambda/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=none`;
  const response = await fetch(`${AWS_ENDPOINT_URL}/2015-03-31/functions/?MaxItems=1000`, {
    headers: { authorization },
  });
  const { Functions } = (await response.json()) as { Functions: { Description: string; Role: string }[] };
  return Functions.map(({ Description, Role }) => ({
    description: Description,
    role: Role.split('/').at(-1) as string,
  }));
};

const iamOf = ({ environment }: Account): IAMClient =>
  new IAMClient({
    endpoint: environment['AWS_ENDPOINT_URL'] as string,
    region: environment['AWS_REGION'] as string,
    credentials: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] as string,
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] as string,
    },
  });

/** The only policy of a role; undefined without a policy. */
const policyOf = async (
  client: IAMClient,
  role: string,
): Promise<{ readonly name: string; readonly policy: Policy } | undefined> => {
  const { PolicyNames: [name] = [] } = await client.send(new ListRolePoliciesCommand({ RoleName: role }));
  if (name === undefined) return undefined;
  const { PolicyDocument = '' } = await client.send(new GetRolePolicyCommand({ RoleName: role, PolicyName: name }));
  return { name, policy: JSON.parse(decodeURIComponent(PolicyDocument)) as Policy };
};

/** The part of an ARN that names the resource, as its construct does. */
const nameOf = (arn: string): string =>
  arn
    .split(':')
    .slice(5)
    .join(':')
    .replace(/invoicing-dev-(\w+?)[0-9A-F]{8}-[0-9A-F]+/, '$1');

const covers = (pattern: string, resource: string): boolean =>
  pattern.endsWith('*') ? resource.startsWith(pattern.slice(0, -1)) : resource === pattern;

/** The actions on resources that the policies of functions allow, and that no function has used so far. */
export const unusedGrantsOf = async (account: Account): Promise<readonly string[]> => {
  const client = iamOf(account);
  const allowed = await account.allowed();
  const unused: string[] = [];
  for (const { description, role } of await functionsOf(account)) {
    const own = allowed.filter(([name]) => name === role);
    const { policy = { Statement: [] } } = (await policyOf(client, role)) ?? {};
    for (const statement of policy.Statement)
      for (const action of actionsOf(statement))
        for (const pattern of [statement.Resource].flat().map(String))
          if (!own.some(([, used, resource]) => used === action && covers(pattern, resource)))
            unused.push(`${description}: ${action} on ${nameOf(pattern)}`);
  }
  return unused;
};

/** The actions on tables that the role of the function of a route has. */
export const tableGrantsOf = async (account: Account, route: string): Promise<readonly Grant[]> => {
  const client = iamOf(account);
  const found = (await functionsOf(account)).find(({ description }) => description === route);
  const { name, policy } = (found && (await policyOf(client, found.role))) ?? {};
  if (!found || !name || !policy) throw new Error(`No function with a policy has the description ${route}.`);
  const put = async (document: Policy) => {
    const input = { RoleName: found.role, PolicyName: name, PolicyDocument: JSON.stringify(document) };
    await client.send(new PutRolePolicyCommand(input));
  };
  return policy.Statement.flatMap((statement) =>
    actionsOf(statement)
      .filter((action) => action.startsWith('dynamodb:'))
      .map((action) => ({
        action: `${action} on ${String(statement.Resource).split('/').at(-1)}`,
        take: () => put(without(policy, statement, action)),
        giveBack: () => put(policy),
      })),
  );
};
