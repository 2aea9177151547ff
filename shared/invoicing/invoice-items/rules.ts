import type { Entity } from '#shared/platform/entity.ts';

/** The writable fields of an item (CONTRACT §4). A v2 body may name the invoice's currency. */
export interface InvoiceItemTerms {
  invoice_id: number;
  description: string;
  quantity: number;
  unit_amount_cents: number;
  currency?: string;
}

export interface InvoiceItem extends InvoiceItemTerms, Entity {
  /** The invoice's currency, which cannot change while the invoice has items. */
  readonly currency: string;
}

type Priced = Pick<InvoiceItem, 'quantity' | 'unit_amount_cents'>;

export const itemAmount = ({ quantity, unit_amount_cents }: Priced): number => quantity * unit_amount_cents;

export const sumOf = (items: readonly Priced[]): number => items.reduce((cents, item) => cents + itemAmount(item), 0);
