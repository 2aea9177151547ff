import { expect } from '@jest/globals';
import type { Caller } from '#test/support/service/client.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { type FeedEvent, follow, readResource, SUBJECTS } from '#test/support/state/feed.ts';
import type { Ledger } from './ledger.ts';

/** A reader of the feed, which notices an event that contradicts earlier events (CONTRACT §14). */
export class Follower {
  readonly #caller: Caller;
  readonly #versions = new Map<string, { readonly version: number; readonly isDeleted: boolean }>();
  #cursor: string | null = null;
  #sequence = 0;

  constructor(account_id: string) {
    this.#caller = { account: account_id };
  }

  async follow(service: LocalService): Promise<void> {
    const { events, cursor } = await follow(service, this.#caller, { after: this.#cursor });
    this.#cursor = cursor;
    for (const event of events) this.#apply(event);
  }

  /** The versions of the resources that are not deleted. */
  get versions(): Map<string, number> {
    const alive = [...this.#versions].filter(([, { isDeleted }]) => !isDeleted);
    return new Map(alive.map(([resource, { version }]) => [resource, version]));
  }

  /** Compares the versions of all resources with the last events. */
  async checkResources(service: LocalService): Promise<void> {
    for (const [resource, { version, isDeleted }] of this.#versions) {
      const [type = '', id] = resource.split(' ');
      const found = await readResource(service, this.#caller, type, Number(id));
      if (SUBJECTS.get(type)?.events?.progress && !isDeleted) expect(found?.version).toBeGreaterThanOrEqual(version);
      else expect([resource, found?.version]).toEqual([resource, isDeleted ? undefined : version]);
    }
  }

  #apply({ sequence, type, resource_type, resource_id, version }: FeedEvent): void {
    const resource = `${resource_type} ${resource_id}`;
    const before = this.#versions.get(resource);
    this.#sequence += 1;
    const isDeleted = type.endsWith('.deleted');
    expect([type, sequence, before?.isDeleted ?? false]).toEqual([type, this.#sequence, false]);
    expect([resource, type, type.endsWith('.created')]).toEqual([resource, type, before === undefined]);
    const expected = isDeleted ? before?.version : (before?.version ?? 0) + 1;
    // The progress of an export or of a number series is not an event, but a version.
    if (SUBJECTS.get(resource_type)?.events?.progress) expect(version).toBeGreaterThanOrEqual(expected as number);
    else expect([resource, type, version]).toEqual([resource, type, expected]);
    this.#versions.set(resource, { version, isDeleted });
  }
}

/** A reader whose events together must have the versions of a ledger. */
export class FeedReader extends Follower {
  async check(service: LocalService, ledger: Ledger): Promise<void> {
    await this.follow(service);
    const versions = [...this.versions].filter(([resource]) => !resource.startsWith('number_series'));
    expect(Object.fromEntries(versions)).toEqual(Object.fromEntries(versionsOf(ledger)));
  }
}

/** A number gives its series a version, but no event. */
const versionsOf = ({
  invoices,
  invoiceItems,
  payments,
  refunds,
  creditNotes,
}: Ledger): [resource: string, version: number][] => [
  ...[...invoices].map(([id, { version }]): [string, number] => [`invoice ${id}`, version]),
  ...[...invoiceItems].map(([id, { version }]): [string, number] => [`invoice_item ${id}`, version]),
  ...[...payments].map(([id, { version }]): [string, number] => [`payment ${id}`, version]),
  ...[...refunds.keys()].map((id): [string, number] => [`refund ${id}`, 1]),
  ...[...creditNotes].map(([id, { version }]): [string, number] => [`credit_note ${id}`, version]),
];
