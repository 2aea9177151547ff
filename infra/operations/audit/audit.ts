import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import canonicalize from 'canonicalize';
import type { Deployment } from '#infra/operations/deployment.ts';
import * as resources from '#shared/invoicing/row-checks.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import { commitWithNewIds, newId } from '#shared/runtime/worker-pipeline.ts';
import { AccountReader, type AccountState, isEmpty } from './account-state.ts';
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
  /** Called for each account of which something is stored. */
  readonly onAccount?: (account: string) => void;
}

const PAUSE_MS = 5000;

/** Each round repairs the findings of one check; then the values of other checks can be derived. */
const MAX_ROUNDS = 3 * CHECKS.length;

/** The findings of one look, by check. */
type Look = ReadonlyMap<string, readonly Finding[]>;

const look = (state: AccountState): Look => new Map(CHECKS.map(({ name, find }) => [name, find(state)]));

/** Equal for findings with equal evidence. DynamoDB returns attributes in any order. */
const digestOf = (check: string, { table, id, detail, evidence }: Finding): string =>
  createHash('sha256')
    .update(canonicalize([check, table, id, detail, evidence]) as string)
    .digest('base64');

/** The findings of a first look are kept as digests: the second look needs the memory. */
const digestsOf = (found: Look): ReadonlySet<string> => {
  const digests = new Set<string>();
  for (const [check, findings] of found) for (const finding of findings) digests.add(digestOf(check, finding));
  return digests;
};

/** The findings of a look that an earlier look has found with the same evidence. */
const confirmed = (before: ReadonlySet<string>, found: Look): Look =>
  new Map(
    [...found].map(([check, findings]) => [check, findings.filter((finding) => before.has(digestOf(check, finding)))]),
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
 * if a second look shows it with the same evidence. A repair has the condition that this evidence still holds.
 */
export async function* audit(
  deployment: Deployment,
  { account, repairs = false, pauseMs = PAUSE_MS, onAccount = () => {} }: AuditOptions = {},
): AsyncGenerator<ReportedFinding> {
  const reader = new AccountReader(deployment, account);
  try {
    for (const each of await reader.accounts()) {
      const context = repairs ? contextOf(deployment, each) : undefined;
      const findings = auditAccount(each, reader, { pauseMs, onAccount }, context);
      for await (const finding of findings) yield { account: each, ...finding };
    }
  } finally {
    await reader.close();
  }
}

async function* auditAccount(
  account: string,
  reader: AccountReader,
  { pauseMs, onAccount }: Required<Pick<AuditOptions, 'pauseMs' | 'onAccount'>>,
  context: RepairContext | undefined,
): AsyncGenerator<Omit<ReportedFinding, 'account'>> {
  let isStored = false;
  const firstLook = (state: AccountState) => {
    isStored ||= !isEmpty(state);
    return digestsOf(look(state));
  };
  const findAll = async (): Promise<Look> => {
    const first = firstLook(await reader.read(account));
    if (first.size === 0) return new Map();
    await sleep(pauseMs);
    return confirmed(first, look(await reader.read(account)));
  };
  const report = (check: string, { table, id, detail }: Finding, repair: ReportedFinding['repair']) => {
    return { check, table, id, detail, repair };
  };
  let found = await findAll();
  if (isStored) onAccount(account);
  let isChanged = false;
  for (let round = 0; context && round < MAX_ROUNDS; round++) {
    const check = nextRepair(found);
    if (check === undefined) break;
    for (const finding of found.get(check) ?? []) {
      if (!(await finding.repair?.(context))) continue;
      isChanged = true;
      if (finding.table === 'idempotency') reader.forgetRecord(String(finding.id));
      yield report(check, finding, 'done');
    }
    found = await findAll();
  }
  // A sequencer would publish a change twice while the head is wrong.
  const isPublishable = CHECKS.every(({ name, blocks }) => !blocks || !found.get(name)?.length);
  if (context && isChanged && isPublishable) await context.stores.outbox.publish(context.stores.events);
  for (const [check, findings] of found)
    for (const finding of findings) yield report(check, finding, finding.repair ? 'possible' : 'impossible');
}

/** The time for a commit that meets conflicts. */
const COMMIT_MS = 10_000;

const contextOf = ({ dynamo: client, tableNames }: Deployment, account: string): RepairContext => {
  const context = { client, tableNames, checks: resources };
  const commitWrites = createCommit(context);
  const origin = { actor: null, request_id: `audit-${randomUUID()}` };
  return {
    account,
    stores: createStores(context)(account),
    origin,
    newId,
    now: () => new Date().toISOString(),
    remaining: () => Number.POSITIVE_INFINITY,
    checkEvent: (event) => resources.events.checkRow(event, Object.keys(event)),
    commit: (decide) => commitWithNewIds(commitWrites, decide, origin, () => Date.now() + COMMIT_MS),
  };
};
