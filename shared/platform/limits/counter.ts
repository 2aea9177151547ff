/**
 * The state of an account: the theoretical arrival time of the generic cell rate algorithm, in epoch milliseconds. The
 * time of an unused budget is in the past.
 */
export type ArrivalTime = number;

export interface Charge {
  readonly now: number;
  /** The cost, in milliseconds of the account's rate. */
  readonly milliseconds: number;
  /** The latest arrival time to which the charge is added. */
  readonly latest: ArrivalTime;
  /** Whether the arrival time is expected to be in the future; a wrong guess costs a second call. */
  readonly isBusy: boolean;
}

export interface Charged {
  readonly arrivalTime: ArrivalTime;
  /** Whether the arrival time was in the future before the charge. */
  readonly wasBusy: boolean;
  readonly isCharged: boolean;
}

export interface Counter {
  read(account: string, signal: AbortSignal): Promise<ArrivalTime>;
  /** Adds the charge, unless the arrival time is later than `latest`. */
  charge(account: string, charge: Charge, signal: AbortSignal): Promise<Charged>;
}

/** The partition of the account's counter accepts no more calls of this kind now. */
export class ThrottledError extends Error {
  override readonly name = 'ThrottledError';
}
