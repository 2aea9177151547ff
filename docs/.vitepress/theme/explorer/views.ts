import type * as api from '#client/source/index.ts';
import { type Cell, toCodes, toDueDate, today, toLink, toStatus, toText } from './cells.ts';
import { type Column, type Context, type Link, type Part, part, type Row, type View } from './part.ts';
import { saveExport } from './save-export.ts';

type Open = (query: URLSearchParams, id: number) => View;

/** The sections, each with the view of its list and the view of a member. */
const SECTIONS: Readonly<Record<string, readonly [list: Open, member?: Open]>> = {
  invoices: [(query) => invoicesView(query), (_, id) => invoiceView(id)],
  customers: [() => customersView, (_, id) => customerView(id)],
  webhooks: [() => endpointsView, (_, id) => endpointView(id)],
  exports: [() => exportsView],
};

export const SECTION_NAMES = Object.keys(SECTIONS);

/** The section and the view of an address, such as `#/invoices?status=open`. */
export const viewOf = (hash: string): { readonly section: string; readonly view: View } => {
  const [path = '', query] = hash.slice(1).split('?');
  const [, section = 'invoices', id] = path.split('/');
  const [list, member] = SECTIONS[section] ?? [];
  const open = id === undefined ? list : member;
  return { section, view: open?.(new URLSearchParams(query), Number(id)) ?? UNKNOWN };
};

const UNKNOWN: View = { title: () => 'This address has no view', parts: [] };

const LIMIT = 50;

const one = async <R>(row: PromiseLike<R>) => ({ data: [await row] });

type Expanded = api.InvoiceV1 & { readonly customer?: api.CustomerV1 | null; readonly items?: readonly api.InvoiceItemV1[] };

/** Adds the customer, unless the token may not read customers. */
const withCustomer = async <T>(read: (expand: 'customer'[]) => PromiseLike<T>): Promise<T> => {
  try {
    return await read(['customer']);
  } catch (error) {
    if ((error as { code?: string }).code !== 'insufficient-scope') throw error;
    return read([]);
  }
};

const CUSTOMER: Column<Expanded> = {
  title: 'Customer',
  cell: ({ customer_id: id, customer, bill_to }) => {
    const name = bill_to?.name ?? customer?.name ?? id;
    return id === null ? toText(name) : toLink(name as string, `#/customers/${id}`);
  },
};

const DUE_DATE: Column<Expanded> = { title: 'Due date', cell: toDueDate };

const toAddress = (address: api.CustomerV1['address']): string => {
  const { line1, line2, city, region, postal_code, country } = address ?? {};
  return [line1, line2, [postal_code, city, region].filter(Boolean).join(' '), country].filter(Boolean).join(', ');
};

const OVERDUE = 'overdue';

const invoicesPart = (status: string | null, customer_id?: number): Part => {
  const filter =
    status === OVERDUE
      ? ({ status: 'open', sort: 'due_date', due_before: today() } as const)
      : ({ status: (status ?? undefined) as api.InvoiceStatus | undefined, sort: '-id' } as const);
  return part<Expanded>({
    heading: 'Invoices',
    type: 'invoice',
    columns: [
      { title: 'Number', cell: ({ id, number }) => toLink(number ?? id, `#/invoices/${id}`) },
      CUSTOMER,
      'status',
      'total_cents',
      'amount_due_cents',
      DUE_DATE,
    ],
    empty:
      status === OVERDUE
        ? 'Nothing is overdue. Open invoices that were due before today (UTC) would be here.'
        : 'No invoice matches. Invoices would be here, the newest first.',
    read: ({ client, after }) =>
      withCustomer(([expand]) =>
        client.invoices.list({ ...filter, customer_id, limit: LIMIT, expand: expand && [expand], after }),
      ),
  });
};

const FILTERS = ['all', 'draft', 'open', OVERDUE, 'paid', 'canceled'];

const filterLinks = (customer: string | null, current: string | null): Link[] =>
  // The API does not sort the invoices of one customer by due date.
  FILTERS.filter((name) => name !== OVERDUE || customer === null).map((name) => {
    const query = [customer && `customer_id=${customer}`, name !== 'all' && `status=${name}`].filter(Boolean).join('&');
    return { text: name, href: `#/invoices${query && `?${query}`}`, isCurrent: name === current };
  });

const invoicesView = (query: URLSearchParams): View => {
  const [status, customer] = [query.get('status'), query.get('customer_id')];
  return {
    title: () => (customer === null ? 'Invoices' : `Invoices of customer ${customer}`),
    links: filterLinks(customer, status ?? 'all'),
    parts: [invoicesPart(status, customer === null ? undefined : Number(customer))],
    follows: ['invoice', 'customer'],
  };
};

/** The source of rows that the invoice itself contains. */
const ofInvoice = <R extends object>(rows: (invoice: Expanded) => readonly R[]) => ({
  needs: ['Summary'],
  read: async (context: Context) => {
    const [invoice] = context.rows<Expanded>('Summary');
    const { currency = '' } = invoice ?? {};
    return { data: (invoice ? rows(invoice) : []).map((row, id) => ({ id, currency, ...row })) };
  },
});

/** The rows of a list that is filtered by these members, at most ten in a request. */
const readAll = async <R>(ids: readonly number[], list: (ids: number[]) => AsyncIterable<R>): Promise<R[]> => {
  const rows: R[] = [];
  for (let start = 0; start < ids.length; start += 10)
    for await (const row of list(ids.slice(start, start + 10))) rows.push(row);
  return rows;
};

const RELATED = { payment: 'Payments', refund: 'Refunds', credit_note: 'Credit notes' } as const;

const readEvents = async (invoice: number, { client, rows }: Context) => {
  const related = Object.entries(RELATED).flatMap(([type, heading]) => rows(heading).map(({ id }) => ({ type, id })));
  const members = [{ type: 'invoice', id: invoice }, ...related];
  const ids = members.map(({ id }) => id);
  const events = await readAll(ids, (resource_id) => client.events.list({ resource_id, limit: 100 }));
  // An id is unique only in its collection.
  const isOf = (event: api.EventV1) =>
    members.some(({ type, id }) => type === event.resource_type && id === event.resource_id);
  return { data: events.filter(isOf).sort((a, b) => a.sequence - b.sequence) };
};

const invoiceView = (id: number): View => ({
  title: (row) => `Invoice ${(row as api.InvoiceV1 | undefined)?.number ?? id}`,
  parts: [
    part<Expanded>({
      heading: 'Summary',
      shape: 'facts',
      type: 'invoice',
      figures: 5,
      columns: [
        'status',
        'amount_due_cents',
        'total_cents',
        'amount_paid_cents',
        'amount_credited_cents',
        CUSTOMER,
        { title: 'Bill to', cell: ({ bill_to: to }) => toText(to?.name, to && toAddress(to.address)) },
        'issue_date',
        DUE_DATE,
        'created_at',
        'paid_at',
        'canceled_at',
        'settlement',
        'subtotal_cents',
        'tax_cents',
        'description',
        'external_id',
        'id',
      ],
      read: ({ client }) => one(withCustomer((expand) => client.invoices.get(id, { expand: [...expand, 'items'] }))),
    }),
    part<api.InvoiceItemV1>({
      heading: 'Lines',
      type: 'invoice_item',
      empty: 'The total was given without lines. The items of the invoice would be here.',
      columns: ['description', 'quantity', 'unit_amount_cents', 'discount_cents', 'tax_percent', 'amount_cents'],
      ...ofInvoice(({ items = [] }) => items),
    }),
    part<api.TaxEntryV1 & Row>({
      heading: 'Tax breakdown',
      columns: ['tax_percent', 'tax_category', 'taxable_cents', 'tax_cents'],
      ...ofInvoice(({ tax_breakdown }) => tax_breakdown),
    }),
    part<api.PaymentV1>({
      heading: RELATED.payment,
      type: 'payment',
      empty: 'No payment yet. The payments of the invoice would be here, the oldest first.',
      columns: ['id', 'status', 'method', 'reference', 'created_at', 'amount_refunded_cents', 'amount_cents'],
      read: ({ client, after }) => client.invoices.payments(id).list({ limit: LIMIT, after }),
    }),
    part<api.RefundV1>({
      heading: RELATED.refund,
      type: 'refund',
      columns: ['id', 'payment_id', 'reason', 'created_at', 'amount_cents'],
      needs: [RELATED.payment],
      read: async ({ client, rows }) => {
        const refunded = rows<api.PaymentV1>(RELATED.payment).filter((payment) => payment.amount_refunded_cents > 0);
        const ids = refunded.map((payment) => payment.id);
        return { data: await readAll(ids, (payment_id) => client.refunds.list({ payment_id, limit: 100 })) };
      },
    }),
    part<api.CreditNoteV1>({
      heading: RELATED.credit_note,
      type: 'credit_note',
      empty: 'No credit note. The credit notes of the invoice would be here.',
      columns: ['id', 'number', 'reason', 'created_at', 'applied_cents', 'refundable_cents', 'amount_cents'],
      read: ({ client, after }) => client.creditNotes.list({ invoice_id: id, limit: LIMIT, after }),
    }),
    part<api.EventV1>({
      heading: 'Events',
      shape: 'timeline',
      empty: 'No event. The changes of the invoice, its payments, refunds and credit notes would be here.',
      columns: ['type', 'created_at', 'actor', { title: 'Changed', cell: ({ changed }) => toCodes(changed) }],
      needs: Object.values(RELATED),
      read: (context) => readEvents(id, context),
    }),
  ],
});

const CUSTOMER_COLUMNS = ['email', 'tax_id', 'created_at'] as const;

const customersView: View = {
  title: () => 'Customers',
  follows: ['customer'],
  parts: [
    part<api.CustomerV1>({
      heading: 'Customers',
      type: 'customer',
      empty: 'No customer yet. The customers of the account would be here, the newest first.',
      columns: [{ title: 'Name', cell: ({ id, name }) => toLink(name, `#/customers/${id}`) }, ...CUSTOMER_COLUMNS],
      read: ({ client, after }) => client.customers.list({ sort: '-id', limit: LIMIT, after }),
    }),
  ],
};

const customerView = (id: number): View => ({
  title: (row) => (row as api.CustomerV1 | undefined)?.name ?? `Customer ${id}`,
  links: filterLinks(String(id), null),
  follows: ['invoice'],
  parts: [
    part<api.CustomerV1>({
      heading: 'Summary',
      shape: 'facts',
      type: 'customer',
      columns: [
        { title: 'Address', cell: ({ address }) => toText(toAddress(address)) },
        ...CUSTOMER_COLUMNS,
        'external_id',
        'id',
      ],
      read: ({ client }) => one(client.customers.get(id)),
    }),
    invoicesPart(null, id),
  ],
});

const endpointColumns = (url: (endpoint: api.WebhookEndpointV1) => Cell) => [
  { title: 'URL', cell: url },
  { title: 'Status', cell: (row: api.WebhookEndpointV1) => toStatus(row.status, row.disabled_reason) },
  { title: 'Events', cell: ({ event_types }: api.WebhookEndpointV1) => toCodes(event_types) },
  'created_at' as const,
];

const endpointsView: View = {
  title: () => 'Webhook endpoints',
  follows: ['webhook_endpoint'],
  parts: [
    part<api.WebhookEndpointV1>({
      heading: 'Endpoints',
      type: 'webhook_endpoint',
      empty: 'No webhook endpoint. The URLs that receive the events of the account would be here.',
      columns: endpointColumns(({ id, url, description }) => toLink(url, `#/webhooks/${id}`, description)),
      read: ({ client, after }) => client.webhookEndpoints.list({ sort: '-id', limit: LIMIT, after }),
    }),
  ],
};

const RETRIES: Readonly<Record<string, string>> = { failed: 'Retry', succeeded: 'Send again' };

const endpointView = (id: number): View => ({
  title: () => `Webhook endpoint ${id}`,
  isPolled: true,
  parts: [
    part<api.WebhookEndpointV1>({
      heading: 'Summary',
      shape: 'facts',
      type: 'webhook_endpoint',
      columns: endpointColumns(({ url, description }) => toText(url, description)),
      read: ({ client }) => one(client.webhookEndpoints.get(id)),
    }),
    part<api.WebhookDeliveryV1>({
      heading: 'Deliveries',
      empty: 'No delivery in the last 30 days. The events that were sent to the URL would be here, the newest first.',
      columns: [
        { title: 'Event', cell: ({ event_type, sequence }) => toText(event_type, sequence && `sequence ${sequence}`) },
        'status',
        'attempts',
        { title: 'Last response', cell: (row) => toText(row.response_status, row.error?.detail ?? row.response_body) },
        'last_attempt_at',
        'next_attempt_at',
        {
          title: 'Action',
          action: { label: (row) => RETRIES[row.status], run: (client, row) => client.webhookDeliveries.retry(row.id) },
        },
      ],
      read: ({ client, after }) =>
        client.webhookDeliveries.list({ webhook_endpoint_id: id, sort: '-id', limit: LIMIT, after }),
    }),
  ],
});

const exportsView: View = {
  title: () => 'Exports',
  follows: ['export'],
  parts: [
    part<api.ExportV1>({
      heading: 'Exports',
      type: 'export',
      empty: 'No export yet. The files that POST /v1/exports requests would be here, the newest first.',
      columns: [
        { title: 'Export', cell: ({ type, id }) => toText(type, id) },
        { title: 'Status', cell: ({ status, error }) => toStatus(status, error?.detail) },
        'format',
        { title: 'Filter', cell: ({ filter }) => toCodes(Object.entries(filter).map((pair) => pair.join('='))) },
        'created_at',
        'row_count',
        'size_bytes',
        {
          title: 'File',
          action: { label: ({ file_url }) => (file_url === null ? undefined : 'Download'), run: saveExport },
        },
      ],
      read: ({ client, after }) => client.exports.list({ sort: '-id', limit: LIMIT, after }),
    }),
  ],
};
