/*
 * The resource of each table, by the name of its store: its fields check the rows that are written. A bundle contains
 * those of the tables that its function writes (infra/build/bundle.ts).
 */
export { CreditNote as creditNotes } from './credit-notes/resource.ts';
export { Customer as customers } from './customers/resource.ts';
export { StoredEvent as events } from './events/stored-event.ts';
export { Export as exports } from './exports/resource.ts';
export { InvoiceItem as invoiceItems } from './invoice-items/resource.ts';
export { Invoice as invoices } from './invoices/resource.ts';
export { NumberSeries as numberSeries } from './number-series/resource.ts';
export { Payment as payments } from './payments/resource.ts';
export { Refund as refunds } from './refunds/resource.ts';
export { WebhookDelivery as webhookDeliveries } from './webhook-deliveries/resource.ts';
export { WebhookEndpoint as webhookEndpoints } from './webhook-endpoints/resource.ts';
