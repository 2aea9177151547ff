import type { CustomerV1, Failure } from '#client/source/index.ts';
import type { Row } from './view.ts';

/** A value as the explorer shows it. */
export interface Cell {
  readonly text: string;
  /** The address of the view that shows the named resource. */
  readonly href?: string;
  readonly iso?: string;
  /** Of a status: the type of its badge. */
  readonly badge?: string;
  /** A second, smaller text. */
  readonly note?: string;
  readonly isLate?: boolean;
  readonly codes?: readonly string[];
}

/** The form of a field follows from its name (CONTRACT §3). */
export const toCell = (name: string, row: Row): Cell => {
  const value = row[name];
  const special = SPECIAL[name]?.(row);
  if (special) return special;
  if (value === null || value === undefined || value === '') return { text: '–' };
  if (name.endsWith('_cents')) return toMoney(Number(value), String(row['currency']));
  if (name.endsWith('_at')) return { text: TIME.format(new Date(String(value))), iso: String(value) };
  if (name.endsWith('_date')) return { text: DAY.format(new Date(String(value))), iso: String(value) };
  if (typeof value === 'number' && isNumber(name)) return { text: QUANTITY.format(value) };
  if (typeof value !== 'object') return { text: String(value) };
  const codes = Array.isArray(value) ? value : Object.entries(value).map((pair) => pair.join('='));
  return { text: codes.length === 0 ? '–' : '', codes };
};

export const titleOf = (name: string): string => {
  const words = name.replace(/_cents$/, '').replaceAll('_', ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)}`.replace(/\b(id|url)$/i, (word) => word.toUpperCase());
};

export const isNumber = (name: string): boolean => /_cents$|^(attempts|quantity|row_count|tax_percent)$/.test(name);

/** Due dates are days in UTC. */
export const today = (): string => new Date().toISOString().slice(0, 10);

const BADGES: Readonly<Record<string, string>> = {
  ...{ open: 'tip', running: 'tip', pending: 'warning', partially_refunded: 'warning' },
  ...{ paid: 'success', succeeded: 'success', completed: 'success', enabled: 'success' },
  ...{ failed: 'danger', disabled: 'danger' },
};

const withNote = (text: unknown, note: unknown): Cell => ({ text: String(text), note: String(note ?? '') });

const toAddress = (address: CustomerV1['address'] | undefined): string => {
  const { line1, line2, city, region, postal_code, country } = address ?? {};
  return [line1, line2, [postal_code, city, region].filter(Boolean).join(' '), country].filter(Boolean).join(', ');
};

/** Fields whose form needs more than their value. An undefined cell has the usual form. */
const SPECIAL: Readonly<Record<string, (row: Row) => Cell | undefined>> = {
  invoice: ({ id, number }) => ({ text: String(number ?? id), href: `#/invoices/${id}` }),
  customer: ({ customer_id: id, customer, bill_to }) =>
    id ? { text: String(nameOf(bill_to) ?? nameOf(customer) ?? id), href: `#/customers/${id}` } : undefined,
  name: ({ id, name }) => ({ text: String(name), href: `#/customers/${id}` }),
  webhook_endpoint: ({ id, url, description }) => ({ ...withNote(url, description), href: `#/webhooks/${id}` }),
  bill_to: ({ bill_to: to }) => (to ? withNote(nameOf(to), toAddress((to as CustomerV1).address)) : undefined),
  actor: ({ actor }) => ({ text: `by ${actor ?? 'a worker'}` }),
  address: ({ address }) => ({ text: toAddress(address as CustomerV1['address']) || '–' }),
  due_date: ({ due_date, status }) => {
    const days = due_date && status === 'open' ? (Date.parse(today()) - Date.parse(String(due_date))) / 86_400_000 : 0;
    if (days <= 0) return undefined;
    return { ...toCell('issue_date', { issue_date: due_date }), isLate: true, note: `${DAYS.format(days)} overdue` };
  },
  status: ({ status, error, disabled_reason, void_reason }) => {
    const note = (error as Failure | null)?.detail ?? disabled_reason ?? void_reason;
    return { ...withNote(String(status).replaceAll('_', ' '), note), badge: BADGES[String(status)] ?? 'info' };
  },
  response_status: ({ response_status, response_body }) => withNote(response_status ?? '–', response_body),
};

const nameOf = (value: unknown): string | undefined => (value as CustomerV1 | null | undefined)?.name;

/** An amount in minor units, with the digits of its currency. */
const toMoney = (cents: number, currency: string): Cell => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return { text: format.format(cents / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 0)) };
};

const QUANTITY = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });
const DAYS = new Intl.NumberFormat('en', { style: 'unit', unit: 'day', unitDisplay: 'long' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
