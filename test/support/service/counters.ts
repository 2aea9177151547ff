import type { Charge, Counter } from '#shared/platform/limits/counter.ts';

/** A counter without a database, which decides as the conditions of the real counter. */
export const countersInMemory = (): Counter & { charged: number } => {
  const times = new Map<string, number>();
  return {
    charged: 0,
    async read(account) {
      return times.get(account) ?? 0;
    },
    async charge(account, { now, milliseconds, latest }: Charge) {
      const before = times.get(account) ?? 0;
      const wasBusy = before > now;
      if (wasBusy && before > latest) return { arrivalTime: before, wasBusy, isCharged: false };
      const arrivalTime = Math.max(before, now) + milliseconds;
      times.set(account, arrivalTime);
      this.charged += 1;
      return { arrivalTime, wasBusy, isCharged: true };
    },
  };
};
