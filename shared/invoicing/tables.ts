import type { Table } from '#shared/platform/data/table.ts';

const members = (variable: string, noun: string, indexes: Table['indexes'] = []): Table => ({
  variable,
  noun,
  key: { partition: 'account_id', sort: 'id' },
  indexes,
});

export const tables = {
  customers: members('CUSTOMERS_TABLE', 'customer', [['email']]),
  invoices: members('INVOICES_TABLE', 'invoice', [['status'], ['customer_id'], ['customer_id', 'status']]),
  items: members('ITEMS_TABLE', 'invoice item', [['invoice_id']]),
  payments: members('PAYMENTS_TABLE', 'payment', [['invoice_id']]),
  refunds: members('REFUNDS_TABLE', 'refund', [['payment_id']]),
  exports: { ...members('EXPORTS_TABLE', 'export', [['status'], ['type'], ['status', 'type']]), due: 'due_at' },
  counters: { variable: 'COUNTERS_TABLE', noun: 'counter', key: { partition: 'account_id' }, indexes: [] },
  idempotency: {
    variable: 'IDEMPOTENCY_TABLE',
    noun: 'idempotency record',
    key: { partition: 'key' },
    indexes: [],
    expiry: 'expires_at',
  },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof tables;
