import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Deployment } from '#infra/operations/deployment.ts';
import { PacedReads } from '#infra/operations/paced-reads.ts';
import * as resources from '#shared/invoicing/row-checks.ts';
import { stores } from '#shared/invoicing/stores.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import { commitWithNewIds, newId } from '#shared/runtime/worker-pipeline.ts';
import { AccountReader, type AccountState } from './account-state.ts';
import type { Check, Finding, RepairContext } from './check.ts';
import { CHECKS } from './checks.ts';

/** A finding in the report. */
export interface ReportedFinding extends Pick<Finding, 'table' | 'id' | 'detail'> {
  readonly account: string;
  readonly check: string;
  /** Whether `--repair` restored the value, or would. */
  readonly repair: 'done' | 'possible' | 'impossible';
}

export interface AuditOptions {
  /** All accounts by default. */
  readonly account?: string | undefined;
  readonly repairs?: boolean | undefined;
  /** The pause before the second look, longer than DynamoDB shows a transaction in part. */
  readonly pauseMs?: number | undefined;
  readonly onAccount?: (account: string, findings: readonly ReportedFinding[]) => void;
}

const PAUSE_MS = 5000;

/** Each round repairs the findings of one check, after which others can be derived. */
const MAX_ROUNDS = 3 * CHECKS.length;

/** The findings of one look, by check. */
type Look = ReadonlyMap<string, readonly Finding[]>;

const look = (state: AccountState): Look => new Map(CHECKS.map(({ name, find }) => [name, find(state)]));

const total = (found: Look): number => [...found.values()].reduce((sum, { length }) => sum + length, 0);

/** The findings of a look that an earlier look has found with the same evidence. */
const confirmed = (before: Look, found: Look): Look =>
  new Map(
    [...found].map(([check, findings]) => {
      const known = Map.groupBy(before.get(check) ?? [], ({ table, id }) => `${table} ${id}`);
      const isKnown = ({ table, id, detail, evidence }: Finding) =>
        known.get(`${table} ${id}`)?.some((one) => one.detail === detail && isDeepStrictEqual(one.evidence, evidence));
      return [check, findings.filter(isKnown)];
    }),
  );

/** The first check with a finding that can be repaired. */
const nextRepair = (found: Look): string | undefined => {
  const isNext = ({ name, blocks }: Check) => {
    const findings = found.get(name) ?? [];
    return findings.some(({ repair }) => repair) || (blocks && findings.length > 0);
  };
  const check = CHECKS.find(isNext);
  return check && found.get(check.name)?.some(({ repair }) => repair) ? check.name : undefined;
};

/**
 * Reads accounts and checks every invariant. The reads are not a snapshot of an account in use, so a finding counts only
 * if a second look shows it with the same values. A repair has the condition that these values are still stored.
 */
export const audit = async (
  deployment: Deployment,
  { account, repairs = false, pauseMs = PAUSE_MS, onAccount }: AuditOptions = {},
): Promise<ReportedFinding[]> => {
  const reader = new AccountReader(deployment, new PacedReads(deployment));
  const all: ReportedFinding[] = [];
  for (const each of account === undefined ? await reader.accounts() : [account]) {
    const findings = await auditAccount(each, reader, pauseMs, repairs ? contextOf(deployment, each) : undefined);
    onAccount?.(each, findings);
    all.push(...findings);
  }
  return all;
};

const auditAccount = async (
  account: string,
  reader: AccountReader,
  pauseMs: number,
  context: RepairContext | undefined,
): Promise<ReportedFinding[]> => {
  const findAll = async (): Promise<Look> => {
    const first = look(await reader.read(account));
    if (total(first) === 0) return first;
    await sleep(pauseMs);
    return confirmed(first, look(await reader.read(account)));
  };
  const repaired: ReportedFinding[] = [];
  const report = (check: string, finding: Finding, repair: ReportedFinding['repair']): ReportedFinding => {
    const { table, id, detail } = finding;
    return { account, check, table, id, detail, repair };
  };
  let found = await findAll();
  for (let round = 0; context && round < MAX_ROUNDS; round++) {
    const check = nextRepair(found);
    if (check === undefined) break;
    for (const finding of found.get(check) ?? [])
      if (await finding.repair?.(context)) repaired.push(report(check, finding, 'done'));
    if (check === 'records') reader.forgetRecords();
    found = await findAll();
  }
  // A sequencer would publish a change twice while the head is wrong.
  const isPublishable = CHECKS.every(({ name, blocks }) => !blocks || found.get(name)?.length === 0);
  if (context && repaired.length > 0 && isPublishable) await context.stores.outbox.publish(context.stores.events);
  const left = [...found].flatMap(([check, findings]) =>
    findings.map((finding) => report(check, finding, finding.repair ? 'possible' : 'impossible')),
  );
  return [...repaired, ...left];
};

/** The time for a commit that meets conflicts. */
const COMMIT_MS = 10_000;

const contextOf = ({ dynamo: client, tableNames }: Deployment, account: string): RepairContext => {
  const context = { client, tableNames, checks: resources };
  const commitWrites = createCommit(context);
  const origin = { actor: null, request_id: `audit-${randomUUID()}` };
  return {
    account,
    stores: stores(context, account),
    origin,
    newId,
    now: () => new Date().toISOString(),
    remaining: () => Number.POSITIVE_INFINITY,
    checkEvent: (event) => resources.events.checkRow(event, Object.keys(event)),
    commit: (decide) => commitWithNewIds(commitWrites, decide, origin, () => Date.now() + COMMIT_MS),
  };
};
