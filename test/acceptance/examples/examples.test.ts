import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { expect, test } from '@jest/globals';
import { partOf } from '#test/support/extent.ts';
import { openProfile } from '../deployment.ts';
import { genericGroups } from '../generic/index.ts';
import { type Profile, readProfile } from '../generic/profile.ts';
import { type Result, runGroups } from '../suite/run.ts';
import type { Fault } from './faults/edits.ts';
import { FAULTS } from './faults/index.ts';
import { notes } from './notes.ts';
import { listenerOf, serve } from './serve.ts';
import { Tickets } from './tickets.ts';

/** The checks of any service against two services that are built differently from the one of this repository. */

const fileOf = (name: string) => new URL(name, import.meta.url).pathname;
const NAMES = ['notes', 'tickets'] as const;
const [notesProfile, ticketsProfile] = await Promise.all(NAMES.map((name) => readProfile(fileOf(`${name}.json`))));

const results = async (name: (typeof NAMES)[number], listener: RequestListener): Promise<Result[]> => {
  const profile = (name === 'notes' ? notesProfile : ticketsProfile) as Profile;
  const { url, stop } = await serve(listener);
  try {
    const deployment = await openProfile({ url, command: undefined, accounts: [] }, profile);
    return await runGroups(deployment, genericGroups(profile), { concurrency: 1 });
  } finally {
    await stop();
  }
};

const ticketsWith = (change: Fault = () => {}) => {
  const tickets = new Tickets();
  change(tickets);
  return listenerOf((request) => tickets.handle(request));
};

/** The name of a check, without the name of the service. */
const nameOf = ({ group, title }: Result): string => `${group.replace(/^\w+: /, '')}: ${title}`;

test('profiles and services: at most 60 and 150 lines [test/acceptance/PROFILES.md]', () => {
  for (const name of NAMES) {
    expect(
      readFileSync(fileOf(`${name}.json`), 'utf8')
        .trimEnd()
        .split('\n').length,
    ).toBeLessThanOrEqual(60);
    expect(
      readFileSync(fileOf(`${name}.ts`), 'utf8')
        .trimEnd()
        .split('\n').length,
    ).toBeLessThanOrEqual(150);
  }
});

test.each(NAMES)('%s, a correct service: every check passes, and none is skipped', async (name) => {
  const all = await results(name, name === 'notes' ? notes : ticketsWith());
  expect(all.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  expect(all.length).toBeGreaterThanOrEqual(60);
});

/** The checks that fail, by fault. */
const found: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(fileOf('faults/found.json'), 'utf8'),
);

test.concurrent.each(partOf(Object.entries(FAULTS), 16))(
  'tickets with the fault "%s": exactly the declared checks fail',
  async (name, change) => {
    const all = await results('tickets', ticketsWith(change));
    const failed = all.filter(({ outcome }) => outcome !== 'passed').map(nameOf);
    expect(failed.toSorted()).toEqual(found[name]?.toSorted());
  },
);

test('every check: a fault makes it fail', async () => {
  expect(Object.keys(found)).toEqual(Object.keys(FAULTS));
  const caught = new Set(Object.values(found).flat());
  const names = (await results('tickets', ticketsWith())).map(nameOf);
  expect(names.filter((name) => !caught.has(name))).toEqual([]);
  expect([...caught].filter((name) => !names.includes(name))).toEqual([]);
});
