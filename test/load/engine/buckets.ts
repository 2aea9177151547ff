import type { Limits } from './limits.ts';

/** The units of one partition key value of a table or an index, for reads or for writes. */
export interface Partition {
  readonly kind: 'read' | 'write';
  /** A table, or a table and one of its indexes: `invoices`, `invoices.by_status`. */
  readonly name: string;
  readonly value: string;
}

/** What a partition has given and refused. */
export interface PartitionUsage {
  units: number;
  refusals: number;
}

interface Bucket extends PartitionUsage {
  readonly partition: Partition;
  level: number;
  at: number;
}

/**
 * A token bucket for each partition, which holds the units of one second, because burst capacity does not exceed what a
 * partition delivers in a second. A level may be negative: requests take the units that they used, not those that are left.
 */
export class Buckets {
  readonly #limits: Limits;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Whether the partition has units; counts a refusal if it has none. */
  admits(partition: Partition): boolean {
    const bucket = this.#refilled(partition);
    if (bucket.level > 0) return true;
    bucket.refusals += 1;
    return false;
  }

  take(partition: Partition, units: number): void {
    const bucket = this.#refilled(partition);
    bucket.level -= units;
    bucket.units += units;
  }

  /** The sum of the usage of partitions. */
  usage(isCounted: (partition: Partition) => boolean): PartitionUsage {
    const sum = { units: 0, refusals: 0 };
    for (const { partition, units, refusals } of this.#buckets.values()) {
      if (!isCounted(partition)) continue;
      sum.units += units;
      sum.refusals += refusals;
    }
    return sum;
  }

  #refilled(partition: Partition): Bucket {
    const { readUnits, writeUnits, scale } = this.#limits;
    const rate = scale * (partition.kind === 'read' ? readUnits : writeUnits);
    const now = Date.now();
    const key = Object.values(partition).join(' ');
    const bucket = this.#buckets.get(key) ?? { partition, level: rate, at: now, units: 0, refusals: 0 };
    const seconds = Math.max(0, now - bucket.at) / 1000;
    bucket.level = Math.min(rate, bucket.level + rate * seconds);
    bucket.at = now;
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
