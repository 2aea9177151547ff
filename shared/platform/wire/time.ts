const MINUTE_MS = 60_000;
/** The first and the last time of {@link toTimestamp}. */
const [FIRST, LAST] = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map(Date.parse) as [number, number];
const TIME =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

/**
 * The first whole millisecond at or after an RFC 3339 time with seconds and offset, since the epoch; undefined for any
 * other text. Rounding up keeps comparisons with whole milliseconds exact.
 */
export const parseTime = (text: string): number | undefined => {
  const [, date, hours, minutes, seconds, fraction = '', sign, offsetHours, offsetMinutes] = TIME.exec(text) ?? [];
  const midnight = new Date(`${date}T00:00:00.000Z`);
  // JavaScript parses 30 February as 2 March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(`${date}`)) return undefined;
  const minutesOfDay = Number(hours) * 60 + Number(minutes);
  const offset = sign ? (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1) : 0;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0')) + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0);
  return midnight.getTime() + (minutesOfDay - offset) * MINUTE_MS + Number(seconds) * 1000 + milliseconds;
};

/**
 * RFC 3339 UTC with milliseconds. An offset can lead out of the years 0 to 9999: then the result is the first or the
 * last time of these years.
 */
export const toTimestamp = (milliseconds: number): string =>
  new Date(Math.min(Math.max(milliseconds, FIRST), LAST)).toISOString();
