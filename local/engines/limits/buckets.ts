import type { Limits } from './settings.ts';

export type Kind = 'read' | 'write';

/** The units of one partition key value of a table or an index, for reads or for writes. */
export interface Partition {
  readonly kind: Kind;
  /** A table, or a table and one of its indexes: `invoices`, `invoices.by_status`. */
  readonly name: string;
  readonly value: string;
}

/** What a partition has given and refused since the last call of `clear`. */
export interface PartitionUsage {
  units: number;
  refusals: number;
}

interface Bucket extends PartitionUsage {
  level: number;
  at: number;
}

/** Token buckets, one for each partition. A level may be negative: requests take what they used, not what is left. */
export class Buckets {
  #limits: Limits;
  readonly #buckets = new Map<string, Bucket & { readonly partition: Partition }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** All buckets are full under the new limits. */
  configure(limits: Limits): void {
    this.#limits = limits;
    for (const bucket of this.#buckets.values()) bucket.level = Number.POSITIVE_INFINITY;
  }

  /** The units that are left. */
  level(partition: Partition): number {
    return this.#refilled(partition).level;
  }

  take(partition: Partition, units: number): void {
    const bucket = this.#refilled(partition);
    bucket.level -= units;
    bucket.units += units;
  }

  refuse(partition: Partition): void {
    this.#refilled(partition).refusals += 1;
  }

  /** The usage of the partitions that were touched. */
  usage(): (PartitionUsage & { readonly partition: Partition })[] {
    return [...this.#buckets.values()].map(({ partition, units, refusals }) => ({ partition, units, refusals }));
  }

  clear(): void {
    for (const bucket of this.#buckets.values()) Object.assign(bucket, { units: 0, refusals: 0 });
  }

  #refilled(partition: Partition): Bucket {
    const { kind, name, value } = partition;
    const { readUnits, writeUnits, scale, burstSeconds } = this.#limits;
    const rate = scale * (kind === 'read' ? readUnits : writeUnits);
    const now = Date.now();
    const key = `${kind} ${name} ${value}`;
    const bucket = this.#buckets.get(key) ?? {
      partition,
      level: Number.POSITIVE_INFINITY,
      at: now,
      units: 0,
      refusals: 0,
    };
    const seconds = Math.max(0, now - bucket.at) / 1000;
    bucket.level = Math.min(rate * burstSeconds, bucket.level + rate * seconds);
    bucket.at = now;
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
