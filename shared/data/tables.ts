/**
 * The tables, as data: CDK deploys them, the local runtime creates them, the stores read them.
 * A partition is an account, so every key carries the tenant (§5).
 */
export interface Table {
  /** The environment variable that holds the deployed table's name. */
  readonly variable: string;
  /** What one row is, in words. */
  readonly noun: string;
  readonly key: { readonly partition: string; readonly sort?: string };
  /** Sparse, keys-only indexes, one for each combination of attributes that a collection is filtered by. */
  readonly indexes: readonly (readonly string[])[];
  /** The attribute that DynamoDB's TTL reads, in epoch seconds. */
  readonly expiry?: string;
  /**
   * An attribute that holds a time, in epoch milliseconds, by which the rows that have it are found across accounts:
   * a sparse, keys-only index of one partition.
   */
  readonly due?: string;
}

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

/** The partition of every row of an index of due rows. */
export const DUE = 'due';

/** An index and its partition key attribute share one name: `by_customer_id_status`. */
export const indexName = (attributes: readonly string[]): string => `by_${attributes.join('_')}`;

/** Every index of a table: its name, which is its partition key's, and its sort key, a number. */
export const indexesOf = ({ key, indexes, due }: Table): { name: string; sort: string | undefined }[] => [
  ...indexes.map((attributes) => ({ name: indexName(attributes), sort: key.sort })),
  ...(due ? [{ name: indexName([due]), sort: due }] : []),
];
