/** What a field means, by its v1 name; said once for every resource that has one of that name. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  id: 'The identifier: opaque, and unique among all resources of one collection of the account.',
  created_at: 'When it was created.',
  updated_at: 'When it last changed.',
  currency: 'The ISO 4217 code of all its amounts.',
  metadata: 'Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500.',
  customer_id: 'The customer it is for, or null.',
  invoice_id: 'The invoice it belongs to.',
  payment_id: 'The payment that is refunded.',
};

/** What it means in one collection, where that is more than what it means everywhere. */
const IN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  customers: {
    name: 'The name of the person or company.',
    email: 'An address to write to; kept as it is sent.',
    tax_id: 'A tax number, such as a VAT identification number; kept as it is sent.',
    address: 'The postal address, any part of which may be missing.',
  },
  invoices: {
    status:
      '`draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. ' +
      '`canceled` is reached by `POST …/cancel` alone.',
    total_cents: 'What is charged, in minor units; of an itemized invoice, the sum of its items.',
    currency: 'The ISO 4217 code of all its amounts; fixed once there are payments.',
    due_date: 'The day it is due, or null.',
    description: 'What it is for.',
    amount_paid_cents: 'The sum of its payments, refunded or not.',
    amount_due_cents: 'What is left to pay of a draft or an open invoice; 0 of any other.',
    paid_at: 'When it became `paid`, or null.',
    canceled_at: 'When it was canceled, or null.',
    customer: 'The customer, whole; only with `expand=customer`, and null where there is none.',
  },
  'invoice-items': {
    invoice_id: 'The invoice it is an item of; it never changes.',
    description: 'What is charged for.',
    quantity: 'How many units.',
    unit_amount_cents: 'The price of one unit, in minor units.',
    amount_cents: 'Quantity times unit amount.',
  },
  payments: {
    invoice_id: 'The invoice that is paid: an `open` one.',
    amount_cents: 'How much is paid, in minor units: at most what is due.',
    method: 'How it was paid.',
    reference: 'Your own reference, such as a bank’s.',
    status: 'Whether some or all of it has been refunded.',
    amount_refunded_cents: 'The sum of its refunds.',
    currency: 'The invoice’s currency.',
  },
  refunds: {
    amount_cents: 'How much goes back, in minor units; left out, all that has not been refunded yet.',
    reason: 'Why.',
    invoice_id: 'The invoice that had been paid.',
    currency: 'The invoice’s currency.',
  },
  exports: {
    type: 'Which collection is exported.',
    format: '`csv` (RFC 4180, with a header row) or `jsonl` (one JSON object a line).',
    filter:
      'Which rows: the filters of the collection’s list, and `created_from` (inclusive) and `created_before` (exclusive).',
    status: '`pending`, then `running`, then `completed`, `failed` or `canceled`.',
    row_count: 'How many rows the file has.',
    size_bytes: 'How large the file is.',
    sha256: 'The SHA-256 of the file, to check a download with.',
    file_url: 'The path of the file’s endpoint; null until the export is completed.',
    error: 'Why it failed, or null.',
    started_at: 'When a worker first took it up, or null.',
    completed_at: 'When it was completed, or null.',
    expires_at: 'Until when the file can be had, or null.',
  },
};

/**
 * What a field of a collection means to a client.
 * @param name its v1 name
 * @throws Error when nobody has said it: the document leaves no field unexplained
 */
export const described = (collection: string, name: string): string => {
  const text = IN[collection]?.[name] ?? EVERYWHERE[name];
  if (text === undefined) throw new Error(`Say what ${name} of ${collection} means: shared/openapi/fields.ts.`);
  return text;
};
