import * as v from 'valibot';
import type { Field, Fields, Row } from './field.ts';
import { held } from './field.ts';
import { Currency, object } from './schema.ts';
import type { Version } from './version.ts';

const CENTS = '_cents';
const isAmount = (name: string): boolean => name.endsWith(CENTS);
const moneyName = (name: string): string => (isAmount(name) ? name.slice(0, -CENTS.length) : name);

const asMoney = (name: string, field: Field): Field => {
  const amount = field.accepts ?? field.schema;
  return {
    ...field,
    schema: object({ amount: field.schema, currency: Currency }),
    accepts: object({ amount, currency: v.exactOptional(Currency) }),
    ...('fallback' in field && { fallback: { amount: field.fallback } }),
    reads: [...(field.reads ?? [name]), 'currency'],
    value: (row: Row) => ({ amount: held(name, field, row), currency: row['currency'] }),
  };
};

/** v2: every `X_cents` with `currency` is one money object `X` (CONTRACT §4 v2). */
export const inMoney = (fields: Fields): Fields => {
  const names = Object.keys(fields);
  if (!names.some(isAmount)) return fields;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name !== 'currency')
      .map(([name, field]) => [moneyName(name), isAmount(name) ? asMoney(name, field) : field]),
  );
};

/** What a body asks for: a whole member, or changes of one. */
export type Operation = 'create' | 'replace' | 'patch';

type Money = { amount: number; currency?: string };

/** The domain's form of a v2 body: `X_cents` and `currency` again. */
export const fromMoney = (v1: Fields, operation: Operation) => (body: Record<string, unknown>) => {
  const terms: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (name in v1) {
      terms[name] = value;
      continue;
    }
    const { amount, currency } = value as Money;
    terms[name + CENTS] = amount;
    const fallback = operation === 'patch' ? undefined : v1['currency']?.fallback;
    if ((currency ?? fallback) !== undefined) terms['currency'] = currency ?? fallback;
  }
  return terms;
};

/**
 * The pointer to a rule's field in a body of this version (RFC 6901). In v2 an amount is an object: `member` names its
 * part, and `amount` the one that a currency field belongs to.
 */
export const pointerTo = (
  field: string,
  version: Version,
  { member = 'amount', amount }: { readonly member?: string; readonly amount?: string } = {},
): string => {
  if (version === 'v1') return `/${field}`;
  if (amount !== undefined) return `/${moneyName(amount)}/${field}`;
  return isAmount(field) ? `/${moneyName(field)}/${member}` : `/${field}`;
};

/** A problem's own members in this version: in v2 an amount with its currency is a money object, too. */
export const membersIn = (version: Version, { currency, ...members }: Row): Record<string, unknown> => {
  if (version === 'v1') return members;
  const money = (name: string, value: unknown) => (isAmount(name) ? { amount: value, currency } : value);
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [moneyName(name), money(name, value)]));
};
