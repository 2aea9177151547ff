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

/** The role of the function of a route. CloudFormation derives the names of roles in nested stacks from hashes. */
const roleOf = async ({ environment }: Account, route: string): Promise<string> => {
  const { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_REGION } = environment;
  const credential = `${AWS_ACCESS_KEY_ID}/20260101/${AWS_REGION}/lambda/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=none`;
  const response = await fetch(`${AWS_ENDPOINT_URL}/2015-03-31/functions/?MaxItems=1000`, {
    headers: { authorization },
  });
  const { Functions } = (await response.json()) as { Functions: { Description: string; Role: string }[] };
  const role = Functions.find(({ Description }) => Description === route)
    ?.Role.split('/')
    .at(-1);
  if (role === undefined) throw new Error(`No function has the description ${route}.`);
  return role;
};

/** The actions on tables that the role of the function of a route has. */
export const tableGrantsOf = async (account: Account, route: string): Promise<readonly Grant[]> => {
  const { environment } = account;
  const client = new IAMClient({
    endpoint: environment['AWS_ENDPOINT_URL'] as string,
    region: environment['AWS_REGION'] as string,
    credentials: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] as string,
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] as string,
    },
  });
  const role = await roleOf(account, route);
  const { PolicyNames: [policyName] = [] } = await client.send(new ListRolePoliciesCommand({ RoleName: role }));
  const { PolicyDocument = '' } = await client.send(
    new GetRolePolicyCommand({ RoleName: role, PolicyName: policyName }),
  );
  const policy = JSON.parse(decodeURIComponent(PolicyDocument)) as Policy;
  const put = async (document: Policy) => {
    const input = { RoleName: role, PolicyName: policyName, PolicyDocument: JSON.stringify(document) };
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
