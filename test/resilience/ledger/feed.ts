import { expect } from '@jest/globals';
import type { Service } from '#test/support/service/service.ts';
import { type FeedEvent, follow } from '#test/support/state/feed.ts';
import type { Ledger } from './ledger.ts';

/** A reader that follows the feed of an account and holds the version of each resource that the events report. */
export class FeedReader {
  readonly #account: string;
  readonly #versions = new Map<string, number>();
  #cursor: string | null = null;
  #sequence = 0;

  constructor(account: string) {
    this.#account = account;
  }

  /** Reads the events since the last call, and checks that all events together have the versions of the ledger. */
  async check(service: Service, ledger: Ledger): Promise<void> {
    const { events, cursor } = await follow(service, { account_id: this.#account }, { after: this.#cursor });
    this.#cursor = cursor;
    for (const event of events) this.#apply(event);
    expect(Object.fromEntries(this.#versions)).toEqual(Object.fromEntries(versionsOf(ledger)));
  }

  #apply({ sequence, type, resource_type, resource_id, version }: FeedEvent): void {
    const resource = `${resource_type} ${resource_id}`;
    const before = this.#versions.get(resource);
    this.#sequence += 1;
    const isDeletion = type.endsWith('.deleted');
    const expected = isDeletion ? before : (before ?? 0) + 1;
    expect([type, sequence, version]).toEqual([type, this.#sequence, expected]);
    expect([type, type.endsWith('.created')]).toEqual([type, before === undefined]);
    if (isDeletion) this.#versions.delete(resource);
    else this.#versions.set(resource, version);
  }
}

const versionsOf = ({ invoices, invoiceItems, payments, refunds }: Ledger): [resource: string, version: number][] => [
  ...[...invoices].map(([id, { version }]): [string, number] => [`invoice ${id}`, version]),
  ...[...invoiceItems].map(([id, { version }]): [string, number] => [`invoice_item ${id}`, version]),
  ...[...payments].map(([id, { version }]): [string, number] => [`payment ${id}`, version]),
  ...[...refunds.keys()].map((id): [string, number] => [`refund ${id}`, 1]),
];
