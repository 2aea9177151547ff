import type { Client, ExportV1, InvoiceStatus } from '#client/source/index.ts';
import { today } from './cells.ts';
import type { Context, Part, Row, View } from './view.ts';

type Open = (query: URLSearchParams, id: number) => View;

/** The sections, each with the view of its list and the view of a member. */
export const SECTIONS: Readonly<Record<string, readonly [list: Open, member?: Open]>> = {
  invoices: [(query) => invoicesView(query), (_, id) => invoiceView(id)],
  customers: [() => CUSTOMERS, (_, id) => customerView(id)],
  webhooks: [() => ENDPOINTS, (_, id) => endpointView(id)],
  exports: [() => EXPORTS],
};

/** The section and the view of an address, such as `#/invoices?status=open`, and whether it shows a member. */
export const viewOf = (hash: string): { readonly section: string; readonly view: View; readonly isMember: boolean } => {
  const [, section = '', id, query] = /^#\/(\w+)(?:\/(\d+))?(?:\?(.*))?$/.exec(hash || '#/invoices') ?? [];
  const open = SECTIONS[section]?.[id === undefined ? 0 : 1];
  const view = open?.(new URLSearchParams(query), Number(id)) ?? { title: () => 'Page not found', parts: [] };
  return { section, view, isMember: Boolean(SECTIONS[section] && id) };
};

const summary = (fields: string, read: (client: Client<'v1'>) => PromiseLike<object>): Part => ({
  heading: 'Summary',
  shape: 'facts',
  fields,
  read: async ({ client }) => ({ data: [await read(client)] }),
});

const invoicesPart = (status: string | undefined, customer: number | undefined): Part => {
  const isOverdue = status === 'overdue';
  const filter = () =>
    isOverdue
      ? ({ status: 'open', sort: 'due_date', due_before: today() } as const)
      : { status: status as InvoiceStatus | undefined, customer_id: customer };
  return {
    heading: 'Invoices',
    fields: 'invoice amount_due_cents due_date status customer total_cents',
    links: filterLinks(status ?? 'all', customer),
    empty: isOverdue
      ? 'Nothing is overdue. Open invoices that were due before today (UTC) appear here.'
      : 'No invoice matches. Invoices appear here, the newest first.',
    read: ({ client, page }) => client.invoices.list({ ...page, ...filter(), expand: ['customer'] }),
  };
};

const FILTERS = ['all', 'draft', 'open', 'overdue', 'paid', 'canceled'];

const filterLinks = (current: string, customer: number | undefined): NonNullable<Part['links']> =>
  // The API does not sort the invoices of one customer by due date.
  FILTERS.filter((name) => name !== 'overdue' || !customer).map((name) => {
    const query = [customer && `customer_id=${customer}`, name !== 'all' && `status=${name}`].filter(Boolean).join('&');
    return { text: name, href: `#/invoices${query && `?${query}`}`, isCurrent: name === current };
  });

const invoicesView = (query: URLSearchParams): View => {
  const status = query.get('status') ?? undefined;
  const customer = Number(query.get('customer_id')) || undefined;
  const parts = [invoicesPart(status, customer)];
  return { title: () => (customer ? `Invoices of customer ${customer}` : 'Invoices'), parts };
};

/** Rows that the invoice itself contains. */
const ofInvoice =
  (field: string) =>
  async ({ rows }: Context) => {
    const [invoice] = await rows('Summary');
    const contained = (invoice?.[field] ?? []) as Row[];
    return { data: contained.map((row, id) => ({ id, currency: invoice?.['currency'], ...row })) };
  };

/** The rows of a list that is filtered by these ids, at most ten in a request. */
const readAll = async <R>(ids: readonly unknown[], list: (ids: number[]) => AsyncIterable<R>): Promise<R[]> => {
  const rows: R[] = [];
  for (let start = 0; start < ids.length; start += 10)
    for await (const row of list(ids.slice(start, start + 10) as number[])) rows.push(row);
  return rows;
};

const RELATED = { payment: 'Payments', refund: 'Refunds', credit_note: 'Credit notes' };

const readEvents = async (invoice: number, { client, rows }: Context) => {
  const ids: Record<string, unknown[]> = { invoice: [invoice] };
  for (const [type, heading] of Object.entries(RELATED)) ids[type] = (await rows(heading)).map(({ id }) => id);
  const events = await readAll(Object.values(ids).flat(), (id) => client.events.list({ resource_id: id, limit: 100 }));
  // An id is unique only in its collection.
  const shown = events.filter((event) => ids[event.resource_type]?.includes(event.resource_id));
  return { data: shown.sort((a, b) => a.sequence - b.sequence) };
};

const invoiceView = (id: number): View => ({
  title: (row) => `Invoice ${row?.['number'] ?? id}`,
  parts: [
    {
      ...summary(
        'number customer bill_to issue_date due_date subtotal_cents tax_cents settlement created_at paid_at canceled_at description external_id id',
        (client) => client.invoices.get(id, { expand: ['customer', 'items'] }),
      ),
      figures: 'status amount_due_cents total_cents amount_paid_cents amount_credited_cents',
    },
    {
      heading: 'Lines',
      fields: 'description quantity unit_amount_cents discount_cents tax_percent amount_cents',
      empty: 'The total was given without lines. The items of the invoice appear here.',
      read: ofInvoice('items'),
    },
    {
      heading: 'Tax breakdown',
      fields: 'tax_category tax_percent taxable_cents tax_cents',
      read: ofInvoice('tax_breakdown'),
    },
    {
      heading: RELATED.payment,
      fields: 'id amount_cents status method reference created_at amount_refunded_cents',
      empty: 'No payment yet. The payments of the invoice appear here, the newest first.',
      read: ({ client, page }) => client.invoices.payments(id).list(page),
    },
    {
      heading: RELATED.refund,
      fields: 'id amount_cents payment_id reason created_at',
      read: async ({ client, rows }) => {
        const refunded = (await rows(RELATED.payment)).filter((payment) => payment['amount_refunded_cents'] !== 0);
        const ids = refunded.map(({ id }) => id);
        return { data: await readAll(ids, (payment_id) => client.refunds.list({ payment_id, limit: 100 })) };
      },
    },
    {
      heading: RELATED.credit_note,
      fields: 'id amount_cents number reason created_at applied_cents refundable_cents',
      empty: 'No credit note. The credit notes of the invoice appear here.',
      read: ({ client, page }) => client.creditNotes.list({ ...page, invoice_id: id }),
    },
    {
      heading: 'Events',
      shape: 'timeline',
      fields: 'type created_at actor changed',
      empty: 'No event. The changes of the invoice, its payments, refunds and credit notes appear here.',
      read: (context) => readEvents(id, context),
    },
  ],
});

const listView = (title: string, part: Omit<Part, 'heading'>): View => ({
  title: () => title,
  parts: [{ heading: title, ...part }],
});

const CUSTOMERS = listView('Customers', {
  fields: 'name email tax_id address created_at',
  empty: 'No customer yet. The customers of the account appear here, the newest first.',
  read: ({ client, page }) => client.customers.list(page),
});

const customerView = (id: number): View => ({
  title: (row) => String(row?.['name'] ?? `Customer ${id}`),
  parts: [
    summary('email tax_id address created_at external_id id', (client) => client.customers.get(id)),
    invoicesPart(undefined, id),
  ],
});

const ENDPOINTS = listView('Webhook endpoints', {
  fields: 'webhook_endpoint status event_types created_at',
  empty: 'No webhook endpoint. The URLs that receive the events of the account appear here.',
  read: ({ client, page }) => client.webhookEndpoints.list(page),
});

const RETRIES: Readonly<Record<string, string>> = { failed: 'Retry', succeeded: 'Send again' };

const endpointView = (id: number): View => ({
  title: (row) => String(row?.['url'] ?? `Webhook endpoint ${id}`),
  parts: [
    summary('description status event_types created_at id', (client) => client.webhookEndpoints.get(id)),
    {
      heading: 'Deliveries',
      fields: 'event_type sequence status attempts response_status last_attempt_at next_attempt_at',
      empty: 'No delivery in the last 30 days. The events that were sent to the URL appear here, the newest first.',
      read: ({ client, page }) => client.webhookDeliveries.list({ ...page, webhook_endpoint_id: id }),
      action: {
        label: ({ status }) => RETRIES[String(status)],
        run: (client, row) => client.webhookDeliveries.retry(Number(row['id'])),
      },
    },
  ],
});

/** Downloads the file of an export, and saves it once its digest is right. */
const saveExport = async (client: Client<'v1'>, { id, type, format }: ExportV1) => {
  const url = URL.createObjectURL(await new Response(await client.exports.download(id)).blob());
  Object.assign(document.createElement('a'), { href: url, download: `${type}-${id}.${format}` }).click();
  URL.revokeObjectURL(url);
};

const EXPORTS = listView('Exports', {
  fields: 'id type format filter status created_at row_count',
  empty: 'No export yet. Create one with POST /v1/exports.',
  read: ({ client, page }) => client.exports.list(page),
  action: {
    label: ({ file_url }) => (file_url === null ? undefined : 'Download'),
    run: (client, row) => saveExport(client, row as unknown as ExportV1),
  },
});
