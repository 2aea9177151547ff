import { afterAll, expect, test } from '@jest/globals';
import { groups } from '#test/behaviour/groups.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { startHandlers } from '../handlers.ts';
import type { Check } from '../suite/check.ts';
import { runCheck } from '../suite/run.ts';
import { serviceOf } from '../suite/service.ts';
import type { Transport } from '../suite/transport.ts';
import { type Fault, faults } from './faults.ts';

/** npm run acceptance:faults plants a mistake between a check and the service, which the check must find. */

const handlers = await startHandlers();
afterAll(() => handlers.stop());

const checkOf = ([, group, part]: Fault): Check => {
  const checks = groups.find(({ name }) => name === group)?.checks ?? [];
  const found = checks.find(({ title }) => title.includes(part));
  if (!found) throw new Error(`No check of ${group} has "${part}" in its title.`);
  return found;
};

/** Runs the check of a fault in accounts of its own. */
const outcomeOf = async (fault: Fault, transport: Transport, accounts: string): Promise<string> => {
  const accountOf = (_: string, name: string) => handlers.accountOf(accounts, name);
  const service = serviceOf({ ...handlers, transport, accountOf }, fault[1]);
  const { outcome } = await runCheck(fault[1], checkOf(fault), service);
  await service.endGroup();
  return outcome;
};

test('each group of checks: a fault exists', () => {
  expect(groups.map(({ name }) => name).filter((name) => !faults.some(([, group]) => group === name))).toEqual([]);
});

test.each(partOf(faults, 8))('%s: found by a check of %s, which passes without the mistake', async (...fault) => {
  const number = faults.findIndex(([mistake]) => mistake === fault[0]);
  expect(await outcomeOf(fault, fault[3](handlers.transport), `fault ${number}`)).toBe('failed');
  expect(await outcomeOf(fault, handlers.transport, `none ${number}`)).toBe('passed');
});
