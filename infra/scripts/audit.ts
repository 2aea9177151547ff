import { audit, type ReportedFinding } from '#infra/operations/audit/audit.ts';
import { CHECKS } from '#infra/operations/audit/checks.ts';
import { withDeployment } from '#infra/operations/deployment.ts';
import { OperationError, parseOptions, runOperation } from '#infra/operations/operation-error.ts';

const USAGE = 'npm run audit -- [--stage <stage>] [--account <id>] [--repair] [--json] [--help]';

const width = CHECKS.reduce((most, { name }) => Math.max(most, name.length), 0);

const HELP = `Reads the data of accounts and checks every invariant.

  ${USAGE}

  --stage    a deployed stage, such as prod; by default the data of the running npm start
  --account  only this account
  --repair   derives again what follows from other rows, and adds missing events (docs/runbook.md)
  --json     prints each finding, and at the end the counts, as a line of JSON

It exits with 0 without findings, 1 with findings, and 2 after an error. The checks:

${CHECKS.map(({ name, holds, repairs = 'nothing.' }) => `  ${name.padEnd(width)}  ${holds}\n  ${''.padEnd(width)}  Repair: ${repairs}`).join('\n')}`;

const options = {
  stage: { type: 'string' },
  account: { type: 'string' },
  repair: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const OUTCOMES: Readonly<Record<ReportedFinding['repair'], string>> = {
  done: 'repaired',
  possible: 'found',
  impossible: 'found, no repair',
};

const line = ({ account, check, table, id, detail, repair }: ReportedFinding): string =>
  [account, check.padEnd(width), `${table} ${id}`, detail, `(${OUTCOMES[repair]})`].join('  ');

await runOperation(async () => {
  const { stage, account, repair: repairs, json: isJson, help } = parseOptions({ options }, USAGE).values;
  if (help) {
    console.log(HELP);
    return 0;
  }
  return withDeployment(stage, async (deployment) => {
    const counts = { accounts: 0, repaired: 0, left: 0 };
    const onAccount = () => {
      counts.accounts += 1;
    };
    for await (const finding of audit(deployment, { account, repairs, onAccount })) {
      counts[finding.repair === 'done' ? 'repaired' : 'left'] += 1;
      console.log(isJson ? JSON.stringify(finding) : line(finding));
    }
    const { name } = deployment;
    if (account !== undefined && counts.accounts === 0)
      throw new OperationError(`Nothing is stored of the account ${JSON.stringify(account)} in ${name}.`);
    const { accounts, repaired, left } = counts;
    if (isJson) console.log(JSON.stringify({ deployment: name, ...counts }));
    else console.log(`${name}: ${accounts} accounts, ${repaired} repaired, ${left} findings.`);
    return left === 0 ? 0 : 1;
  });
});
