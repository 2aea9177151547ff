import { eraseAccount, SETTLE_MS } from '#infra/operations/account/erase.ts';
import { exportAccount, MANIFEST } from '#infra/operations/account/export.ts';
import { countParts, expectData, partsOf } from '#infra/operations/account/parts.ts';
import { type Deployment, withDeployment } from '#infra/operations/deployment.ts';
import { OperationError, parseOptions, runOperation } from '#infra/operations/operation-error.ts';
import { ACCOUNT_ID } from '#shared/platform/http/auth/access-token.ts';

/*
 * npm run account -- export|erase <account> [--stage <stage>] [--to <folder>] [--yes]: writes the data of an account
 * into a folder, or erases it (docs/runbook.md). Without --yes, it only counts the data.
 */

const USAGE = 'npm run account -- export|erase <account> [--stage <stage>] [--to <folder>] [--yes]';

const OPTIONS = {
  stage: { type: 'string' },
  to: { type: 'string' },
  yes: { type: 'boolean', default: false },
} as const;

const parse = () => {
  const { values, positionals } = parseOptions({ options: OPTIONS, most: 2 }, USAGE);
  const [action, account = ''] = positionals;
  if ((action !== 'export' && action !== 'erase') || !ACCOUNT_ID.test(account))
    throw new OperationError(`Expected ${USAGE}`);
  return { ...values, action, account };
};

const print = (name: string, count: number): void => console.log(`${String(count).padStart(12)}  ${name}`);

const erase = async (deployment: Deployment, account: string): Promise<number> => {
  console.log(
    `Erasing ${account} of ${deployment.name}. A count follows ${SETTLE_MS / 60_000} minutes after the last row or file.`,
  );
  const left = await eraseAccount(deployment, account, { report: print });
  const written = Object.entries(left).filter(([, count]) => count > 0);
  if (written.length === 0) {
    console.log(`Nothing of ${account} is left.`);
    return 0;
  }
  console.log('Written meanwhile, and left:');
  for (const entry of written) print(...entry);
  console.log(`Erase again. If rows are left, first wait until the last token of ${account} has expired.`);
  return 1;
};

const run = async (): Promise<number> => {
  const { action, account, stage, to, yes } = parse();
  if ((to !== undefined) !== (action === 'export' && yes))
    throw new OperationError(`--to <folder> belongs to export with --yes: ${USAGE}`);
  return withDeployment(stage, async (deployment) => {
    await expectData(deployment, account);
    if (yes && action === 'erase') return erase(deployment, account);
    if (to !== undefined) {
      const { files } = await exportAccount(deployment, account, to);
      console.log(`Wrote ${files.length} files into ${to}. ${MANIFEST} lists them.`);
      return 0;
    }
    console.log(`${account} of ${deployment.name}:`);
    await countParts(partsOf(deployment, account), print);
    console.log(
      `Nothing was changed. ${action === 'erase' ? 'End the access of the account, then repeat' : 'Repeat'} it with --yes.`,
    );
    return 0;
  });
};

await runOperation(run);
