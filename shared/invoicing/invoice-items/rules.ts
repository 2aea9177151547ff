import type { Entity } from '#shared/platform/entity.ts';
import type { Line } from './lines.ts';

/** The writable fields of an item (CONTRACT §4). */
export interface InvoiceItemTerms extends Line {
  invoice_id: number;
  description: string;
}

export interface InvoiceItem extends InvoiceItemTerms, Entity {
  /** The invoice's currency, which cannot change while the invoice has items. */
  readonly currency: string;
}
