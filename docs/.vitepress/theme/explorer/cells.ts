/** A value as the explorer shows it. */
export interface Cell {
  readonly text: string;
  /** The address of the view that shows the named resource. */
  readonly href?: string | undefined;
  /** The ISO form of a date or time. */
  readonly iso?: string | undefined;
  readonly tone?: Tone | undefined;
  /** A second, smaller text. */
  readonly note?: string | undefined;
  readonly isLate?: boolean;
  readonly codes?: readonly string[];
}

type Tone = 'neutral' | 'active' | 'good' | 'wait' | 'bad';

export const toText = (value: unknown, note?: unknown): Cell =>
  value === null || value === undefined || value === ''
    ? { text: '–' }
    : { text: String(value), note: note ? String(note) : undefined };

export const toLink = (text: string | number, href: string, note?: unknown): Cell => ({ ...toText(text, note), href });

export const toCodes = (names: readonly string[]): Cell => ({ text: '', codes: names });

/** An amount in minor units, with the digits of its currency. */
const toMoney = (cents: number, currency: string): Cell => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return { text: format.format(cents / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0)) };
};

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const toMoment = (format: Intl.DateTimeFormat, iso: string | null): Cell =>
  iso === null ? toText(null) : { text: format.format(new Date(iso)), iso };

/** Due dates are days in UTC. */
export const today = (): string => new Date().toISOString().slice(0, 10);

const DAY_MS = 86_400_000;

export const toDueDate = ({
  due_date,
  status,
}: {
  readonly due_date: string | null;
  readonly status: string;
}): Cell => {
  const days = due_date === null || status !== 'open' ? 0 : (Date.parse(today()) - Date.parse(due_date)) / DAY_MS;
  const late = days > 0 ? { isLate: true, note: `${days} day${days === 1 ? '' : 's'} overdue` } : {};
  return { ...toMoment(DAY, due_date), ...late };
};

const TONES: Readonly<Record<Tone, readonly string[]>> = {
  active: ['open', 'running'],
  good: ['paid', 'succeeded', 'completed', 'enabled'],
  wait: ['pending', 'partially_refunded'],
  bad: ['failed', 'disabled'],
  neutral: [],
};

export const toStatus = (status: string, note?: unknown): Cell => {
  const [tone = 'neutral'] = (Object.keys(TONES) as Tone[]).filter((name) => TONES[name].includes(status));
  return { ...toText(status.replaceAll('_', ' '), note), tone };
};

/** The form of a field follows from its name (CONTRACT §3). */
export const toCell = (name: string, row: Readonly<Record<string, unknown>>): Cell => {
  const value = row[name];
  if (name.endsWith('_cents')) return toMoney(value as number, row['currency'] as string);
  if (name.endsWith('_at')) return toMoment(TIME, value as string | null);
  if (name.endsWith('_date')) return toMoment(DAY, value as string | null);
  if (name === 'status') return toStatus(value as string);
  return toText(value);
};
