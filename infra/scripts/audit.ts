import { type AuditOptions, audit, type ReportedFinding } from '#infra/operations/audit/audit.ts';
import { CHECKS } from '#infra/operations/audit/checks.ts';
import { withDeployment } from '#infra/operations/deployment.ts';
import { parseOptions, runOperation } from '#infra/operations/operation-error.ts';

const USAGE = 'npm run audit -- [--stage <stage>] [--account <id>] [--repair] [--json] [--help]';

const width = CHECKS.reduce((most, { name }) => Math.max(most, name.length), 0);

const HELP = `Reads the data of accounts and checks every invariant.

  ${USAGE}

  --stage    a deployed stage, such as prod; by default the data of the running npm start
  --account  only this account
  --repair   derives again what follows from other rows, and adds missing events (docs/restore.md)
  --json     prints the findings as JSON

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
    let accounts = 0;
    const onAccount: AuditOptions['onAccount'] = (_, found) => {
      accounts += 1;
      if (!isJson) for (const finding of found) console.log(line(finding));
    };
    const findings = await audit(deployment, { account, repairs, onAccount });
    const left = findings.filter(({ repair }) => repair !== 'done').length;
    const counts = { accounts, repaired: findings.length - left, left };
    if (isJson) console.log(JSON.stringify({ deployment: deployment.name, ...counts, findings }, null, 2));
    else console.log(`${deployment.name}: ${accounts} accounts, ${counts.repaired} repaired, ${left} findings.`);
    return left === 0 ? 0 : 1;
  });
});
