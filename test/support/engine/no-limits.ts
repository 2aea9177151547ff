import { DYNAMODB_LIMITS, type Limits } from '#local/engines/limits/settings.ts';

export const NO_LIMITS: Limits = {
  ...DYNAMODB_LIMITS,
  readUnits: Number.POSITIVE_INFINITY,
  writeUnits: Number.POSITIVE_INFINITY,
  holdMs: 0,
  indexLagMs: 0,
  delay: { median: 0, p99: 0 },
};
