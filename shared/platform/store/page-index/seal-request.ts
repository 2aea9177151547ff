/** Asks a worker to seal a collection. All times are in epoch milliseconds. */
export interface SealRequest {
  /** When the worker seals the collection next. */
  readonly due_at: number;
  /** When a list last asked. The worker continues to seal the collection for some time. */
  readonly asked_at?: number;
}

/** How long a collection is sealed after a list has asked. */
const ACTIVE_MS = 600_000;

export const isActive = ({ asked_at = 0 }: SealRequest, now: number): boolean => asked_at > now - ACTIVE_MS;

/** Whether a list must ask: there is no request, or it will end soon. While no worker runs, its `due_at` is not renewed. */
export const mustAsk = (request: SealRequest | undefined, now: number): boolean =>
  request === undefined || (request.due_at > now && !isActive(request, now + ACTIVE_MS / 2));
