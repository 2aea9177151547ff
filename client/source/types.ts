// Written by `npm run generate` from docs/openapi.json: not to be edited.

export interface CustomerV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The name of the person or company. */
  readonly name: string;
  /** The email address. It is stored unchanged, and only its form is checked. */
  readonly email: string | null;
  /** The tax number, such as a VAT identification number. It is stored unchanged and not checked. */
  readonly tax_id: string | null;
  /** The postal address. Every part is optional. */
  readonly address: Address | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface CustomerCreationV1 {
  /** The name of the person or company. */
  readonly name: string;
  /** The email address. It is stored unchanged, and only its form is checked. */
  readonly email?: string | null | undefined;
  /** The tax number, such as a VAT identification number. It is stored unchanged and not checked. */
  readonly tax_id?: string | null | undefined;
  /** The postal address. Every part is optional. */
  readonly address?: Address | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface CustomerReplacementV1 {
  /** The name of the person or company. */
  readonly name: string;
  /** The email address. It is stored unchanged, and only its form is checked. */
  readonly email?: string | null | undefined;
  /** The tax number, such as a VAT identification number. It is stored unchanged and not checked. */
  readonly tax_id?: string | null | undefined;
  /** The postal address. Every part is optional. */
  readonly address?: Address | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface CustomerPatchV1 {
  /** The name of the person or company. */
  readonly name?: string | undefined;
  /** The email address. It is stored unchanged, and only its form is checked. */
  readonly email?: string | null | undefined;
  /** The tax number, such as a VAT identification number. It is stored unchanged and not checked. */
  readonly tax_id?: string | null | undefined;
  /** The postal address. Every part is optional. */
  readonly address?: Address | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface CustomerV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The name of the person or company. */
  readonly name: string;
  /** The email address. It is stored unchanged, and only its form is checked. */
  readonly email: string | null;
  /** The tax number, such as a VAT identification number. It is stored unchanged and not checked. */
  readonly tax_id: string | null;
  /** The postal address. Every part is optional. */
  readonly address: Address | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface CustomerCreationV2 {
  /** The name of the person or company. */
  readonly name: string;
  /** The email address. It is stored unchanged, and only its form is checked. */
  readonly email?: string | null | undefined;
  /** The tax number, such as a VAT identification number. It is stored unchanged and not checked. */
  readonly tax_id?: string | null | undefined;
  /** The postal address. Every part is optional. */
  readonly address?: Address | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface CustomerReplacementV2 {
  /** The name of the person or company. */
  readonly name: string;
  /** The email address. It is stored unchanged, and only its form is checked. */
  readonly email?: string | null | undefined;
  /** The tax number, such as a VAT identification number. It is stored unchanged and not checked. */
  readonly tax_id?: string | null | undefined;
  /** The postal address. Every part is optional. */
  readonly address?: Address | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface CustomerPatchV2 {
  /** The name of the person or company. */
  readonly name?: string | undefined;
  /** The email address. It is stored unchanged, and only its form is checked. */
  readonly email?: string | null | undefined;
  /** The tax number, such as a VAT identification number. It is stored unchanged and not checked. */
  readonly tax_id?: string | null | undefined;
  /** The postal address. Every part is optional. */
  readonly address?: Address | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** A `draft` or `open` invoice can be changed. Only an `open` invoice accepts payments. A `paid` or `canceled` invoice is closed: only its `metadata` and `external_id` can change. To cancel an invoice, use `POST …/cancel`. */
  readonly status: InvoiceStatus;
  /** The total, in minor units. For an invoice with items, the sum of its items and their tax. */
  readonly total_cents: number;
  /** The currency of all its amounts (ISO 4217). It cannot change once the invoice has payments, credit notes or items. */
  readonly currency: string;
  /** The customer, or null. */
  readonly customer_id: number | null;
  /** The day when the invoice is due, or null. */
  readonly due_date: string | null;
  /** Your own text, such as what the invoice is for. */
  readonly description: string | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** The number series, or null. An `open` invoice with a series is issued: it gets a number, and from then on only its `status`, `due_date`, `metadata` and `external_id` can change. */
  readonly series_id: number | null;
  /** The date of the invoice, or null. When it is issued without one, it gets the day (UTC), or the last date of its series if that is later. */
  readonly issue_date: string | null;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The number that its series assigned, or null. Numbers of a series have no gaps. */
  readonly number: string | null;
  /** When it got its number, or null. */
  readonly issued_at: string | null;
  /** The customer as it was when the invoice was issued, or null. */
  readonly bill_to: BillTo | null;
  /** The sum of the amounts of its items without tax; the total of an invoice without items. */
  readonly subtotal_cents: number;
  /** The sum of the tax in `tax_breakdown`. */
  readonly tax_cents: number;
  /** One entry for each pair of `tax_percent` and `tax_category` of its items, ascending: the sum of their amounts, and its tax, rounded once. Empty without items that have a `tax_percent`. */
  readonly tax_breakdown: readonly TaxEntryV1[];
  /** The sum of its payments that are not voided. Refunds do not reduce it. */
  readonly amount_paid_cents: number;
  /** The sum of its credit notes. */
  readonly amount_credited_cents: number;
  /** What payments and credit notes leave of the total. 0 for a `paid` or `canceled` invoice. */
  readonly amount_due_cents: number;
  /** How a `paid` invoice was settled: `payments` (and credit notes), or `external` (by PATCH or PUT of its `status`); null otherwise. */
  readonly settlement: InvoiceSettlement | null;
  /** When the invoice became `paid`, or null. */
  readonly paid_at: string | null;
  /** When the invoice was canceled, or null. */
  readonly canceled_at: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface InvoiceCreationV1 {
  /** A `draft` or `open` invoice can be changed. Only an `open` invoice accepts payments. A `paid` or `canceled` invoice is closed: only its `metadata` and `external_id` can change. To cancel an invoice, use `POST …/cancel`. */
  readonly status?: FirstInvoiceStatus | undefined;
  /** The total, in minor units. For an invoice with items, the sum of its items and their tax. */
  readonly total_cents?: number | undefined;
  /** The currency of all its amounts (ISO 4217). It cannot change once the invoice has payments, credit notes or items. */
  readonly currency?: string | undefined;
  /** The customer, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day when the invoice is due, or null. */
  readonly due_date?: string | null | undefined;
  /** Your own text, such as what the invoice is for. */
  readonly description?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** The number series, or null. An `open` invoice with a series is issued: it gets a number, and from then on only its `status`, `due_date`, `metadata` and `external_id` can change. */
  readonly series_id?: number | null | undefined;
  /** The date of the invoice, or null. When it is issued without one, it gets the day (UTC), or the last date of its series if that is later. */
  readonly issue_date?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Items to create together with the invoice. The total is then their sum with tax. Default: `[]`. */
  readonly items?:
    | readonly {
        /** What the item charges for. */
        readonly description: string;
        /** The number of units, with at most 6 decimals. */
        readonly quantity?: number | undefined;
        /** The price of one unit without tax, in minor units. */
        readonly unit_amount_cents: number;
        /** The discount on the item, in minor units: at most the quantity times the price of one unit. */
        readonly discount_cents?: number | undefined;
        /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
        readonly tax_percent?: number | null | undefined;
        /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
        readonly tax_category?: string | null | undefined;
        /** Read-only: ignored in a request. */
        readonly id?: unknown;
        /** Read-only: a request with another value than the response is refused. */
        readonly amount_cents?: number | undefined;
        /** Read-only: ignored in a request. */
        readonly created_at?: unknown;
        /** Read-only: ignored in a request. */
        readonly updated_at?: unknown;
      }[]
    | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly number?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly issued_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly bill_to?: BillTo | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly subtotal_cents?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly tax_cents?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly tax_breakdown?: readonly TaxEntryV1[] | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount_paid_cents?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount_credited_cents?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount_due_cents?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly settlement?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly paid_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly canceled_at?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceReplacementV1 {
  /** A `draft` or `open` invoice can be changed. Only an `open` invoice accepts payments. A `paid` or `canceled` invoice is closed: only its `metadata` and `external_id` can change. To cancel an invoice, use `POST …/cancel`. */
  readonly status?: InvoiceStatus | undefined;
  /** The total, in minor units. For an invoice with items, the sum of its items and their tax. */
  readonly total_cents?: number | undefined;
  /** The currency of all its amounts (ISO 4217). It cannot change once the invoice has payments, credit notes or items. */
  readonly currency?: string | undefined;
  /** The customer, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day when the invoice is due, or null. */
  readonly due_date?: string | null | undefined;
  /** Your own text, such as what the invoice is for. */
  readonly description?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** The number series, or null. An `open` invoice with a series is issued: it gets a number, and from then on only its `status`, `due_date`, `metadata` and `external_id` can change. */
  readonly series_id?: number | null | undefined;
  /** The date of the invoice, or null. When it is issued without one, it gets the day (UTC), or the last date of its series if that is later. */
  readonly issue_date?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly number?: unknown;
  /** Read-only: ignored in a request. */
  readonly issued_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly bill_to?: unknown;
  /** Read-only: ignored in a request. */
  readonly subtotal_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly tax_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly tax_breakdown?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_paid_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_credited_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_due_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly settlement?: unknown;
  /** Read-only: ignored in a request. */
  readonly paid_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly canceled_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoicePatchV1 {
  /** A `draft` or `open` invoice can be changed. Only an `open` invoice accepts payments. A `paid` or `canceled` invoice is closed: only its `metadata` and `external_id` can change. To cancel an invoice, use `POST …/cancel`. */
  readonly status?: InvoiceStatus | undefined;
  /** The total, in minor units. For an invoice with items, the sum of its items and their tax. */
  readonly total_cents?: number | undefined;
  /** The currency of all its amounts (ISO 4217). It cannot change once the invoice has payments, credit notes or items. */
  readonly currency?: string | undefined;
  /** The customer, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day when the invoice is due, or null. */
  readonly due_date?: string | null | undefined;
  /** Your own text, such as what the invoice is for. */
  readonly description?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** The number series, or null. An `open` invoice with a series is issued: it gets a number, and from then on only its `status`, `due_date`, `metadata` and `external_id` can change. */
  readonly series_id?: number | null | undefined;
  /** The date of the invoice, or null. When it is issued without one, it gets the day (UTC), or the last date of its series if that is later. */
  readonly issue_date?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly number?: unknown;
  /** Read-only: ignored in a request. */
  readonly issued_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly bill_to?: unknown;
  /** Read-only: ignored in a request. */
  readonly subtotal_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly tax_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly tax_breakdown?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_paid_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_credited_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_due_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly settlement?: unknown;
  /** Read-only: ignored in a request. */
  readonly paid_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly canceled_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** A `draft` or `open` invoice can be changed. Only an `open` invoice accepts payments. A `paid` or `canceled` invoice is closed: only its `metadata` and `external_id` can change. To cancel an invoice, use `POST …/cancel`. */
  readonly status: InvoiceStatus;
  /** The total, in minor units. For an invoice with items, the sum of its items and their tax. */
  readonly total: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The customer, or null. */
  readonly customer_id: number | null;
  /** The day when the invoice is due, or null. */
  readonly due_date: string | null;
  /** Your own text, such as what the invoice is for. */
  readonly description: string | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** The number series, or null. An `open` invoice with a series is issued: it gets a number, and from then on only its `status`, `due_date`, `metadata` and `external_id` can change. */
  readonly series_id: number | null;
  /** The date of the invoice, or null. When it is issued without one, it gets the day (UTC), or the last date of its series if that is later. */
  readonly issue_date: string | null;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The number that its series assigned, or null. Numbers of a series have no gaps. */
  readonly number: string | null;
  /** When it got its number, or null. */
  readonly issued_at: string | null;
  /** The customer as it was when the invoice was issued, or null. */
  readonly bill_to: BillTo | null;
  /** The sum of the amounts of its items without tax; the total of an invoice without items. */
  readonly subtotal: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The sum of the tax in `tax_breakdown`. */
  readonly tax: {
    readonly amount: number;
    readonly currency: string;
  };
  /** One entry for each pair of `tax_percent` and `tax_category` of its items, ascending: the sum of their amounts, and its tax, rounded once. Empty without items that have a `tax_percent`. */
  readonly tax_breakdown: readonly TaxEntryV2[];
  /** The sum of its payments that are not voided. Refunds do not reduce it. */
  readonly amount_paid: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The sum of its credit notes. */
  readonly amount_credited: {
    readonly amount: number;
    readonly currency: string;
  };
  /** What payments and credit notes leave of the total. 0 for a `paid` or `canceled` invoice. */
  readonly amount_due: {
    readonly amount: number;
    readonly currency: string;
  };
  /** How a `paid` invoice was settled: `payments` (and credit notes), or `external` (by PATCH or PUT of its `status`); null otherwise. */
  readonly settlement: InvoiceSettlement | null;
  /** When the invoice became `paid`, or null. */
  readonly paid_at: string | null;
  /** When the invoice was canceled, or null. */
  readonly canceled_at: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface InvoiceCreationV2 {
  /** A `draft` or `open` invoice can be changed. Only an `open` invoice accepts payments. A `paid` or `canceled` invoice is closed: only its `metadata` and `external_id` can change. To cancel an invoice, use `POST …/cancel`. */
  readonly status?: FirstInvoiceStatus | undefined;
  /** The total, in minor units. For an invoice with items, the sum of its items and their tax. Default: `{"amount":0}`. */
  readonly total?:
    | {
        readonly amount: number;
        /** The currency of all its amounts (ISO 4217). It cannot change once the invoice has payments, credit notes or items. */
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The customer, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day when the invoice is due, or null. */
  readonly due_date?: string | null | undefined;
  /** Your own text, such as what the invoice is for. */
  readonly description?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** The number series, or null. An `open` invoice with a series is issued: it gets a number, and from then on only its `status`, `due_date`, `metadata` and `external_id` can change. */
  readonly series_id?: number | null | undefined;
  /** The date of the invoice, or null. When it is issued without one, it gets the day (UTC), or the last date of its series if that is later. */
  readonly issue_date?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Items to create together with the invoice. The total is then their sum with tax. Default: `[]`. */
  readonly items?:
    | readonly {
        /** What the item charges for. */
        readonly description: string;
        /** The number of units, with at most 6 decimals. */
        readonly quantity?: number | undefined;
        /** The price of one unit without tax, in minor units. */
        readonly unit_amount: {
          readonly amount: number;
          /** May be omitted: the amount has a currency already, and another one is refused. */
          readonly currency?: string | undefined;
        };
        /** The discount on the item, in minor units: at most the quantity times the price of one unit. Default: `{"amount":0}`. */
        readonly discount?:
          | {
              readonly amount: number;
              /** May be omitted: the amount has a currency already, and another one is refused. */
              readonly currency?: string | undefined;
            }
          | undefined;
        /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
        readonly tax_percent?: number | null | undefined;
        /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
        readonly tax_category?: string | null | undefined;
        /** Read-only: ignored in a request. */
        readonly id?: unknown;
        /** Read-only: a request with another value than the response is refused. */
        readonly amount?: Readonly<Record<string, unknown>> | undefined;
        /** Read-only: ignored in a request. */
        readonly created_at?: unknown;
        /** Read-only: ignored in a request. */
        readonly updated_at?: unknown;
      }[]
    | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly number?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly issued_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly bill_to?: BillTo | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly subtotal?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly tax?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly tax_breakdown?: readonly TaxEntryV2[] | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount_paid?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount_credited?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount_due?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly settlement?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly paid_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly canceled_at?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceReplacementV2 {
  /** A `draft` or `open` invoice can be changed. Only an `open` invoice accepts payments. A `paid` or `canceled` invoice is closed: only its `metadata` and `external_id` can change. To cancel an invoice, use `POST …/cancel`. */
  readonly status?: InvoiceStatus | undefined;
  /** The total, in minor units. For an invoice with items, the sum of its items and their tax. */
  readonly total?:
    | {
        readonly amount: number;
        /** The currency of all its amounts (ISO 4217). It cannot change once the invoice has payments, credit notes or items. */
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The customer, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day when the invoice is due, or null. */
  readonly due_date?: string | null | undefined;
  /** Your own text, such as what the invoice is for. */
  readonly description?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** The number series, or null. An `open` invoice with a series is issued: it gets a number, and from then on only its `status`, `due_date`, `metadata` and `external_id` can change. */
  readonly series_id?: number | null | undefined;
  /** The date of the invoice, or null. When it is issued without one, it gets the day (UTC), or the last date of its series if that is later. */
  readonly issue_date?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly number?: unknown;
  /** Read-only: ignored in a request. */
  readonly issued_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly bill_to?: unknown;
  /** Read-only: ignored in a request. */
  readonly subtotal?: unknown;
  /** Read-only: ignored in a request. */
  readonly tax?: unknown;
  /** Read-only: ignored in a request. */
  readonly tax_breakdown?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_paid?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_credited?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_due?: unknown;
  /** Read-only: ignored in a request. */
  readonly settlement?: unknown;
  /** Read-only: ignored in a request. */
  readonly paid_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly canceled_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoicePatchV2 {
  /** A `draft` or `open` invoice can be changed. Only an `open` invoice accepts payments. A `paid` or `canceled` invoice is closed: only its `metadata` and `external_id` can change. To cancel an invoice, use `POST …/cancel`. */
  readonly status?: InvoiceStatus | undefined;
  /** The total, in minor units. For an invoice with items, the sum of its items and their tax. */
  readonly total?:
    | {
        readonly amount: number;
        /** The currency of all its amounts (ISO 4217). It cannot change once the invoice has payments, credit notes or items. */
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The customer, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day when the invoice is due, or null. */
  readonly due_date?: string | null | undefined;
  /** Your own text, such as what the invoice is for. */
  readonly description?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** The number series, or null. An `open` invoice with a series is issued: it gets a number, and from then on only its `status`, `due_date`, `metadata` and `external_id` can change. */
  readonly series_id?: number | null | undefined;
  /** The date of the invoice, or null. When it is issued without one, it gets the day (UTC), or the last date of its series if that is later. */
  readonly issue_date?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly number?: unknown;
  /** Read-only: ignored in a request. */
  readonly issued_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly bill_to?: unknown;
  /** Read-only: ignored in a request. */
  readonly subtotal?: unknown;
  /** Read-only: ignored in a request. */
  readonly tax?: unknown;
  /** Read-only: ignored in a request. */
  readonly tax_breakdown?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_paid?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_credited?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_due?: unknown;
  /** Read-only: ignored in a request. */
  readonly settlement?: unknown;
  /** Read-only: ignored in a request. */
  readonly paid_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly canceled_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface PaymentV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice to pay. Its status must be `open`. */
  readonly invoice_id: number;
  /** The amount, in minor units: at most the amount due of the invoice. */
  readonly amount_cents: number;
  /** The payment method. */
  readonly method: PaymentMethod;
  /** Your own reference, such as the number of a bank transfer. */
  readonly reference: string | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** The currency of the invoice. */
  readonly currency: string;
  /** Whether none, some or all of the amount has been refunded, or the payment was `voided`. */
  readonly status: PaymentStatus;
  /** The sum of the refunds of this payment. */
  readonly amount_refunded_cents: number;
  /** When the payment was voided, or null. */
  readonly voided_at: string | null;
  /** Why it was voided, or null. */
  readonly void_reason: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface PaymentCreationV1 {
  /** The invoice to pay. Its status must be `open`. */
  readonly invoice_id: number;
  /** The amount, in minor units: at most the amount due of the invoice. */
  readonly amount_cents: number;
  /** The payment method. */
  readonly method?: PaymentMethod | undefined;
  /** Your own reference, such as the number of a bank transfer. */
  readonly reference?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly currency?: string | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly status?: string | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount_refunded_cents?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly voided_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly void_reason?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface PaymentV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice to pay. Its status must be `open`. */
  readonly invoice_id: number;
  /** The amount, in minor units: at most the amount due of the invoice. */
  readonly amount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The payment method. */
  readonly method: PaymentMethod;
  /** Your own reference, such as the number of a bank transfer. */
  readonly reference: string | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** Whether none, some or all of the amount has been refunded, or the payment was `voided`. */
  readonly status: PaymentStatus;
  /** The sum of the refunds of this payment. */
  readonly amount_refunded: {
    readonly amount: number;
    readonly currency: string;
  };
  /** When the payment was voided, or null. */
  readonly voided_at: string | null;
  /** Why it was voided, or null. */
  readonly void_reason: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface PaymentCreationV2 {
  /** The invoice to pay. Its status must be `open`. */
  readonly invoice_id: number;
  /** The amount, in minor units: at most the amount due of the invoice. */
  readonly amount: {
    readonly amount: number;
    /** May be omitted: the amount has a currency already, and another one is refused. */
    readonly currency?: string | undefined;
  };
  /** The payment method. */
  readonly method?: PaymentMethod | undefined;
  /** Your own reference, such as the number of a bank transfer. */
  readonly reference?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly status?: string | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount_refunded?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly voided_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly void_reason?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice of the item. It cannot change. */
  readonly invoice_id: number;
  /** What the item charges for. */
  readonly description: string;
  /** The number of units, with at most 6 decimals. */
  readonly quantity: number;
  /** The price of one unit without tax, in minor units. */
  readonly unit_amount_cents: number;
  /** The discount on the item, in minor units: at most the quantity times the price of one unit. */
  readonly discount_cents: number;
  /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
  readonly tax_percent: number | null;
  /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
  readonly tax_category: string | null;
  /** The quantity times the price of one unit, rounded half away from zero, minus the discount; without tax. */
  readonly amount_cents: number;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface InvoiceItemCreationV1 {
  /** The invoice of the item. It cannot change. */
  readonly invoice_id: number;
  /** What the item charges for. */
  readonly description: string;
  /** The number of units, with at most 6 decimals. */
  readonly quantity?: number | undefined;
  /** The price of one unit without tax, in minor units. */
  readonly unit_amount_cents: number;
  /** The discount on the item, in minor units: at most the quantity times the price of one unit. */
  readonly discount_cents?: number | undefined;
  /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
  readonly tax_percent?: number | null | undefined;
  /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
  readonly tax_category?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount_cents?: number | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemReplacementV1 {
  /** The invoice of the item. It cannot change. */
  readonly invoice_id: number;
  /** What the item charges for. */
  readonly description: string;
  /** The number of units, with at most 6 decimals. */
  readonly quantity?: number | undefined;
  /** The price of one unit without tax, in minor units. */
  readonly unit_amount_cents: number;
  /** The discount on the item, in minor units: at most the quantity times the price of one unit. */
  readonly discount_cents?: number | undefined;
  /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
  readonly tax_percent?: number | null | undefined;
  /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
  readonly tax_category?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemPatchV1 {
  /** The invoice of the item. It cannot change. */
  readonly invoice_id?: number | undefined;
  /** What the item charges for. */
  readonly description?: string | undefined;
  /** The number of units, with at most 6 decimals. */
  readonly quantity?: number | undefined;
  /** The price of one unit without tax, in minor units. */
  readonly unit_amount_cents?: number | undefined;
  /** The discount on the item, in minor units: at most the quantity times the price of one unit. */
  readonly discount_cents?: number | undefined;
  /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
  readonly tax_percent?: number | null | undefined;
  /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
  readonly tax_category?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount_cents?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice of the item. It cannot change. */
  readonly invoice_id: number;
  /** What the item charges for. */
  readonly description: string;
  /** The number of units, with at most 6 decimals. */
  readonly quantity: number;
  /** The price of one unit without tax, in minor units. */
  readonly unit_amount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The discount on the item, in minor units: at most the quantity times the price of one unit. */
  readonly discount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
  readonly tax_percent: number | null;
  /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
  readonly tax_category: string | null;
  /** The quantity times the price of one unit, rounded half away from zero, minus the discount; without tax. */
  readonly amount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface InvoiceItemCreationV2 {
  /** The invoice of the item. It cannot change. */
  readonly invoice_id: number;
  /** What the item charges for. */
  readonly description: string;
  /** The number of units, with at most 6 decimals. */
  readonly quantity?: number | undefined;
  /** The price of one unit without tax, in minor units. */
  readonly unit_amount: {
    readonly amount: number;
    /** May be omitted: the amount has a currency already, and another one is refused. */
    readonly currency?: string | undefined;
  };
  /** The discount on the item, in minor units: at most the quantity times the price of one unit. Default: `{"amount":0}`. */
  readonly discount?:
    | {
        readonly amount: number;
        /** May be omitted: the amount has a currency already, and another one is refused. */
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
  readonly tax_percent?: number | null | undefined;
  /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
  readonly tax_category?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly amount?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemReplacementV2 {
  /** The invoice of the item. It cannot change. */
  readonly invoice_id: number;
  /** What the item charges for. */
  readonly description: string;
  /** The number of units, with at most 6 decimals. */
  readonly quantity?: number | undefined;
  /** The price of one unit without tax, in minor units. */
  readonly unit_amount: {
    readonly amount: number;
    /** May be omitted: the amount has a currency already, and another one is refused. */
    readonly currency?: string | undefined;
  };
  /** The discount on the item, in minor units: at most the quantity times the price of one unit. Default: `{"amount":0}`. */
  readonly discount?:
    | {
        readonly amount: number;
        /** May be omitted: the amount has a currency already, and another one is refused. */
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
  readonly tax_percent?: number | null | undefined;
  /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
  readonly tax_category?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemPatchV2 {
  /** The invoice of the item. It cannot change. */
  readonly invoice_id?: number | undefined;
  /** What the item charges for. */
  readonly description?: string | undefined;
  /** The number of units, with at most 6 decimals. */
  readonly quantity?: number | undefined;
  /** The price of one unit without tax, in minor units. */
  readonly unit_amount?:
    | {
        readonly amount: number;
        /** May be omitted: the amount has a currency already, and another one is refused. */
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The discount on the item, in minor units: at most the quantity times the price of one unit. */
  readonly discount?:
    | {
        readonly amount: number;
        /** May be omitted: the amount has a currency already, and another one is refused. */
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The tax rate in percent, with at most 4 decimals, or null for no tax. */
  readonly tax_percent?: number | null | undefined;
  /** Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown. */
  readonly tax_category?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly amount?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface RefundV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The payment to refund. */
  readonly payment_id: number;
  /** The amount, in minor units. Default: all that is not refunded yet. */
  readonly amount_cents: number;
  /** The reason for the refund. */
  readonly reason: string | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** The invoice of the payment. */
  readonly invoice_id: number;
  /** The currency of the payment. */
  readonly currency: string;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface RefundCreationV1 {
  /** The payment to refund. */
  readonly payment_id: number;
  /** The amount, in minor units. Default: all that is not refunded yet. */
  readonly amount_cents?: number | undefined;
  /** The reason for the refund. */
  readonly reason?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly invoice_id?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly currency?: string | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface RefundV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The payment to refund. */
  readonly payment_id: number;
  /** The amount, in minor units. Default: all that is not refunded yet. */
  readonly amount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The reason for the refund. */
  readonly reason: string | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** The invoice of the payment. */
  readonly invoice_id: number;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface RefundCreationV2 {
  /** The payment to refund. */
  readonly payment_id: number;
  /** The amount, in minor units. Default: all that is not refunded yet. */
  readonly amount?:
    | {
        readonly amount: number;
        /** May be omitted: the amount has a currency already, and another one is refused. */
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The reason for the refund. */
  readonly reason?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly invoice_id?: number | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface CreditNoteV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice to credit. Its status must be `open` or `paid`. */
  readonly invoice_id: number;
  /** The amount, in minor units. Default and maximum: the part of the total of the invoice that is not credited yet. */
  readonly amount_cents: number;
  /** The reason for the credit note. */
  readonly reason: string | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** The number series that gives it a number, or null. */
  readonly series_id: number | null;
  /** The date of the credit note, or null. With a number, its default is the day (UTC), or the last date of its series if that is later. */
  readonly issue_date: string | null;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The currency of the invoice. */
  readonly currency: string;
  /** The number that its series assigned, or null. Numbers of a series have no gaps. */
  readonly number: string | null;
  /** When it got its number, or null. */
  readonly issued_at: string | null;
  /** The customer as on the invoice, otherwise as it was when this number was assigned; or null. */
  readonly bill_to: BillTo | null;
  /** The part of the amount that reduced what was due of the invoice. */
  readonly applied_cents: number;
  /** The rest of the amount. Its money goes back to the customer by refunds of the payments of the invoice. */
  readonly refundable_cents: number;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface CreditNoteCreationV1 {
  /** The invoice to credit. Its status must be `open` or `paid`. */
  readonly invoice_id: number;
  /** The amount, in minor units. Default and maximum: the part of the total of the invoice that is not credited yet. */
  readonly amount_cents?: number | undefined;
  /** The reason for the credit note. */
  readonly reason?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** The number series that gives it a number, or null. */
  readonly series_id?: number | null | undefined;
  /** The date of the credit note, or null. With a number, its default is the day (UTC), or the last date of its series if that is later. */
  readonly issue_date?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly currency?: string | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly number?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly issued_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly bill_to?: BillTo | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly applied_cents?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly refundable_cents?: number | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface CreditNoteV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice to credit. Its status must be `open` or `paid`. */
  readonly invoice_id: number;
  /** The amount, in minor units. Default and maximum: the part of the total of the invoice that is not credited yet. */
  readonly amount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The reason for the credit note. */
  readonly reason: string | null;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id: string | null;
  /** The number series that gives it a number, or null. */
  readonly series_id: number | null;
  /** The date of the credit note, or null. With a number, its default is the day (UTC), or the last date of its series if that is later. */
  readonly issue_date: string | null;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The number that its series assigned, or null. Numbers of a series have no gaps. */
  readonly number: string | null;
  /** When it got its number, or null. */
  readonly issued_at: string | null;
  /** The customer as on the invoice, otherwise as it was when this number was assigned; or null. */
  readonly bill_to: BillTo | null;
  /** The part of the amount that reduced what was due of the invoice. */
  readonly applied: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The rest of the amount. Its money goes back to the customer by refunds of the payments of the invoice. */
  readonly refundable: {
    readonly amount: number;
    readonly currency: string;
  };
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface CreditNoteCreationV2 {
  /** The invoice to credit. Its status must be `open` or `paid`. */
  readonly invoice_id: number;
  /** The amount, in minor units. Default and maximum: the part of the total of the invoice that is not credited yet. */
  readonly amount?:
    | {
        readonly amount: number;
        /** May be omitted: the amount has a currency already, and another one is refused. */
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The reason for the credit note. */
  readonly reason?: string | null | undefined;
  /** Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it. */
  readonly external_id?: string | null | undefined;
  /** The number series that gives it a number, or null. */
  readonly series_id?: number | null | undefined;
  /** The date of the credit note, or null. With a number, its default is the day (UTC), or the last date of its series if that is later. */
  readonly issue_date?: string | null | undefined;
  /** Your own key-value pairs: at most 20, with keys of 1 to 40 characters other than `__proto__`, and values of at most 500. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly number?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly issued_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly bill_to?: BillTo | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly applied?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly refundable?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface NumberSeriesV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The first characters of each number, such as `2026-` or `SHOP/`. It may be empty. Unique among the number series. */
  readonly prefix: string;
  /** The least number of digits after the prefix: zeros fill the left. A number that needs more digits has more. */
  readonly digits: number;
  /** The first number. */
  readonly first_number: number;
  /** A `closed` series assigns no numbers. Once a number is assigned, only `status` can change. */
  readonly status: NumberSeriesStatus;
  /** The last number that a document got, without the prefix; null before the first one. */
  readonly last_number: number | null;
  /** The `issue_date` of the document with the last number, or null. The next document has the same or a later date. */
  readonly last_issue_date: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NumberSeriesCreationV1 {
  /** The first characters of each number, such as `2026-` or `SHOP/`. It may be empty. Unique among the number series. */
  readonly prefix: string;
  /** The least number of digits after the prefix: zeros fill the left. A number that needs more digits has more. */
  readonly digits?: number | undefined;
  /** The first number. */
  readonly first_number?: number | undefined;
  /** A `closed` series assigns no numbers. Once a number is assigned, only `status` can change. */
  readonly status?: NumberSeriesStatus | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly last_number?: number | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly last_issue_date?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface NumberSeriesPatchV1 {
  /** The first characters of each number, such as `2026-` or `SHOP/`. It may be empty. Unique among the number series. */
  readonly prefix?: string | undefined;
  /** The least number of digits after the prefix: zeros fill the left. A number that needs more digits has more. */
  readonly digits?: number | undefined;
  /** The first number. */
  readonly first_number?: number | undefined;
  /** A `closed` series assigns no numbers. Once a number is assigned, only `status` can change. */
  readonly status?: NumberSeriesStatus | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly last_number?: unknown;
  /** Read-only: ignored in a request. */
  readonly last_issue_date?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface NumberSeriesV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The first characters of each number, such as `2026-` or `SHOP/`. It may be empty. Unique among the number series. */
  readonly prefix: string;
  /** The least number of digits after the prefix: zeros fill the left. A number that needs more digits has more. */
  readonly digits: number;
  /** The first number. */
  readonly first_number: number;
  /** A `closed` series assigns no numbers. Once a number is assigned, only `status` can change. */
  readonly status: NumberSeriesStatus;
  /** The last number that a document got, without the prefix; null before the first one. */
  readonly last_number: number | null;
  /** The `issue_date` of the document with the last number, or null. The next document has the same or a later date. */
  readonly last_issue_date: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NumberSeriesCreationV2 {
  /** The first characters of each number, such as `2026-` or `SHOP/`. It may be empty. Unique among the number series. */
  readonly prefix: string;
  /** The least number of digits after the prefix: zeros fill the left. A number that needs more digits has more. */
  readonly digits?: number | undefined;
  /** The first number. */
  readonly first_number?: number | undefined;
  /** A `closed` series assigns no numbers. Once a number is assigned, only `status` can change. */
  readonly status?: NumberSeriesStatus | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly last_number?: number | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly last_issue_date?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface NumberSeriesPatchV2 {
  /** The first characters of each number, such as `2026-` or `SHOP/`. It may be empty. Unique among the number series. */
  readonly prefix?: string | undefined;
  /** The least number of digits after the prefix: zeros fill the left. A number that needs more digits has more. */
  readonly digits?: number | undefined;
  /** The first number. */
  readonly first_number?: number | undefined;
  /** A `closed` series assigns no numbers. Once a number is assigned, only `status` can change. */
  readonly status?: NumberSeriesStatus | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly last_number?: unknown;
  /** Read-only: ignored in a request. */
  readonly last_issue_date?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface ExportV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The collection to export. */
  readonly type: ExportType;
  /** `csv` (RFC 4180, with a header row) or `jsonl` (one JSON object per line). */
  readonly format: ExportFormat;
  /** The rows to export. Accepts the filters of the corresponding list, including `created_from` (inclusive) and `created_before` (exclusive), which a response shows in UTC. Several values of a filter are one text, with commas between them. */
  readonly filter: {
    readonly email?: string;
    readonly status?: string;
    readonly customer_id?: IdFilter;
    readonly invoice_id?: IdFilter;
    readonly payment_id?: IdFilter;
    readonly created_from?: string;
    readonly created_before?: string;
  };
  /** First `pending`, then `running`, and finally `completed`, `failed` or `canceled`. */
  readonly status: ExportStatus;
  /** The number of rows written to the file. */
  readonly row_count: number;
  /** The size of the file, in bytes. */
  readonly size_bytes: number;
  /** The SHA-256 of the file, in hexadecimal, to verify a download. Null until the export is completed. */
  readonly sha256: string | null;
  /** The path that redirects to the file. Null until the export is completed. */
  readonly file_url: string | null;
  /** Why the export failed, or null. */
  readonly error: Failure | null;
  /** When a worker first started the export, or null. */
  readonly started_at: string | null;
  /** When the export was completed, or null. */
  readonly completed_at: string | null;
  /** When the file is deleted, or null. */
  readonly expires_at: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface ExportCreationV1 {
  /** The collection to export. */
  readonly type: ExportType;
  /** `csv` (RFC 4180, with a header row) or `jsonl` (one JSON object per line). */
  readonly format: ExportFormat;
  /** The rows to export. Accepts the filters of the corresponding list, including `created_from` (inclusive) and `created_before` (exclusive), which a response shows in UTC. Several values of a filter are one text, with commas between them. Default: `{}`. */
  readonly filter?:
    | {
        readonly email?: string | undefined;
        readonly status?: string | undefined;
        readonly customer_id?: IdFilter | undefined;
        readonly invoice_id?: IdFilter | undefined;
        readonly payment_id?: IdFilter | undefined;
        /** RFC 3339 with seconds and offset. */
        readonly created_from?: string | undefined;
        /** RFC 3339 with seconds and offset. */
        readonly created_before?: string | undefined;
      }
    | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly status?: string | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly row_count?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly size_bytes?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly sha256?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly file_url?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly error?: Failure | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly started_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly completed_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly expires_at?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface ExportV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The collection to export. */
  readonly type: ExportType;
  /** `csv` (RFC 4180, with a header row) or `jsonl` (one JSON object per line). */
  readonly format: ExportFormat;
  /** The rows to export. Accepts the filters of the corresponding list, including `created_from` (inclusive) and `created_before` (exclusive), which a response shows in UTC. Several values of a filter are one text, with commas between them. */
  readonly filter: {
    readonly email?: string;
    readonly status?: string;
    readonly customer_id?: IdFilter;
    readonly invoice_id?: IdFilter;
    readonly payment_id?: IdFilter;
    readonly created_from?: string;
    readonly created_before?: string;
  };
  /** First `pending`, then `running`, and finally `completed`, `failed` or `canceled`. */
  readonly status: ExportStatus;
  /** The number of rows written to the file. */
  readonly row_count: number;
  /** The size of the file, in bytes. */
  readonly size_bytes: number;
  /** The SHA-256 of the file, in hexadecimal, to verify a download. Null until the export is completed. */
  readonly sha256: string | null;
  /** The path that redirects to the file. Null until the export is completed. */
  readonly file_url: string | null;
  /** Why the export failed, or null. */
  readonly error: Failure | null;
  /** When a worker first started the export, or null. */
  readonly started_at: string | null;
  /** When the export was completed, or null. */
  readonly completed_at: string | null;
  /** When the file is deleted, or null. */
  readonly expires_at: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface ExportCreationV2 {
  /** The collection to export. */
  readonly type: ExportType;
  /** `csv` (RFC 4180, with a header row) or `jsonl` (one JSON object per line). */
  readonly format: ExportFormat;
  /** The rows to export. Accepts the filters of the corresponding list, including `created_from` (inclusive) and `created_before` (exclusive), which a response shows in UTC. Several values of a filter are one text, with commas between them. Default: `{}`. */
  readonly filter?:
    | {
        readonly email?: string | undefined;
        readonly status?: string | undefined;
        readonly customer_id?: IdFilter | undefined;
        readonly invoice_id?: IdFilter | undefined;
        readonly payment_id?: IdFilter | undefined;
        /** RFC 3339 with seconds and offset. */
        readonly created_from?: string | undefined;
        /** RFC 3339 with seconds and offset. */
        readonly created_before?: string | undefined;
      }
    | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly status?: string | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly row_count?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly size_bytes?: number | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly sha256?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly file_url?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly error?: Failure | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly started_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly completed_at?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly expires_at?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface EventV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The position in the feed: 1, 2, 3 … without gaps. */
  readonly sequence: number;
  /** What happened: the type of the resource, and the change. */
  readonly type: EventType;
  /** The type of the resource that changed. */
  readonly resource_type: EventResourceType;
  /** The resource that changed. */
  readonly resource_id: number;
  /** The version of the resource after the change, as in its ETag. For a deletion, its last version. */
  readonly version: number;
  /** The names of the v1 fields that changed, without `updated_at`. Empty for a creation and a deletion. */
  readonly changed: readonly string[];
  /** The `sub` of the token that made the change. Null for a worker. */
  readonly actor: string | null;
  /** The `X-Request-Id` of the request, or the id of the worker's invocation. */
  readonly request_id: string;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface EventV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The position in the feed: 1, 2, 3 … without gaps. */
  readonly sequence: number;
  /** What happened: the type of the resource, and the change. */
  readonly type: EventType;
  /** The type of the resource that changed. */
  readonly resource_type: EventResourceType;
  /** The resource that changed. */
  readonly resource_id: number;
  /** The version of the resource after the change, as in its ETag. For a deletion, its last version. */
  readonly version: number;
  /** The names of the v1 fields that changed, without `updated_at`. Empty for a creation and a deletion. */
  readonly changed: readonly string[];
  /** The `sub` of the token that made the change. Null for a worker. */
  readonly actor: string | null;
  /** The `X-Request-Id` of the request, or the id of the worker's invocation. */
  readonly request_id: string;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface WebhookEndpointV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The https address that receives the events, with port 443 or 8443. It must be reachable from the Internet. */
  readonly url: string;
  /** A note for people. */
  readonly description: string | null;
  /** The types of the events that are sent, or `["*"]` for all types, including those that are added later. */
  readonly event_types: readonly SubscribedEventType[];
  /** A `disabled` endpoint receives nothing. Its deliveries and its position in the feed wait until it is enabled. */
  readonly status: WebhookEndpointStatus;
  /** Why the endpoint is disabled: `gone` (it answered 410), `failing` (it failed for 120 hours), `requested`, or null. */
  readonly disabled_reason: WebhookEndpointDisabledReason | null;
  /** The secret for the verification of signatures: only in the responses that create or rotate it, null elsewhere. */
  readonly secret: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface WebhookEndpointCreationV1 {
  /** The https address that receives the events, with port 443 or 8443. It must be reachable from the Internet. */
  readonly url: string;
  /** A note for people. */
  readonly description?: string | null | undefined;
  /** The types of the events that are sent, or `["*"]` for all types, including those that are added later. Default: `["*"]`. */
  readonly event_types?: readonly SubscribedEventType[] | undefined;
  /** A `disabled` endpoint receives nothing. Its deliveries and its position in the feed wait until it is enabled. */
  readonly status?: WebhookEndpointStatus | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly disabled_reason?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly secret?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface WebhookEndpointPatchV1 {
  /** The https address that receives the events, with port 443 or 8443. It must be reachable from the Internet. */
  readonly url?: string | undefined;
  /** A note for people. */
  readonly description?: string | null | undefined;
  /** The types of the events that are sent, or `["*"]` for all types, including those that are added later. */
  readonly event_types?: readonly SubscribedEventType[] | undefined;
  /** A `disabled` endpoint receives nothing. Its deliveries and its position in the feed wait until it is enabled. */
  readonly status?: WebhookEndpointStatus | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly disabled_reason?: unknown;
  /** Read-only: ignored in a request. */
  readonly secret?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface WebhookEndpointV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The https address that receives the events, with port 443 or 8443. It must be reachable from the Internet. */
  readonly url: string;
  /** A note for people. */
  readonly description: string | null;
  /** The types of the events that are sent, or `["*"]` for all types, including those that are added later. */
  readonly event_types: readonly SubscribedEventType[];
  /** A `disabled` endpoint receives nothing. Its deliveries and its position in the feed wait until it is enabled. */
  readonly status: WebhookEndpointStatus;
  /** Why the endpoint is disabled: `gone` (it answered 410), `failing` (it failed for 120 hours), `requested`, or null. */
  readonly disabled_reason: WebhookEndpointDisabledReason | null;
  /** The secret for the verification of signatures: only in the responses that create or rotate it, null elsewhere. */
  readonly secret: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface WebhookEndpointCreationV2 {
  /** The https address that receives the events, with port 443 or 8443. It must be reachable from the Internet. */
  readonly url: string;
  /** A note for people. */
  readonly description?: string | null | undefined;
  /** The types of the events that are sent, or `["*"]` for all types, including those that are added later. Default: `["*"]`. */
  readonly event_types?: readonly SubscribedEventType[] | undefined;
  /** A `disabled` endpoint receives nothing. Its deliveries and its position in the feed wait until it is enabled. */
  readonly status?: WebhookEndpointStatus | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: a request with another value than the response is refused. */
  readonly disabled_reason?: string | null | undefined;
  /** Read-only: a request with another value than the response is refused. */
  readonly secret?: string | null | undefined;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface WebhookEndpointPatchV2 {
  /** The https address that receives the events, with port 443 or 8443. It must be reachable from the Internet. */
  readonly url?: string | undefined;
  /** A note for people. */
  readonly description?: string | null | undefined;
  /** The types of the events that are sent, or `["*"]` for all types, including those that are added later. */
  readonly event_types?: readonly SubscribedEventType[] | undefined;
  /** A `disabled` endpoint receives nothing. Its deliveries and its position in the feed wait until it is enabled. */
  readonly status?: WebhookEndpointStatus | undefined;
  /** Read-only: ignored in a request. */
  readonly id?: unknown;
  /** Read-only: ignored in a request. */
  readonly disabled_reason?: unknown;
  /** Read-only: ignored in a request. */
  readonly secret?: unknown;
  /** Read-only: ignored in a request. */
  readonly created_at?: unknown;
  /** Read-only: ignored in a request. */
  readonly updated_at?: unknown;
}

export interface WebhookDeliveryV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The webhook endpoint that receives the event. */
  readonly webhook_endpoint_id: number;
  /** The event that is sent. Null for a test. */
  readonly event_id: number | null;
  /** The type of the event, or `webhook.test`. */
  readonly event_type: WebhookEventType;
  /** The sequence of the event. Null for a test. */
  readonly sequence: number | null;
  /** First `pending`, then `succeeded`, `failed` (after the last attempt) or `canceled` (its endpoint was deleted). */
  readonly status: WebhookDeliveryStatus;
  /** The number of attempts that have ended. */
  readonly attempts: number;
  /** When the next attempt follows, or null after the last one. A delivery of an endpoint that is disabled or fails may wait longer. */
  readonly next_attempt_at: string | null;
  /** When the last attempt began, or null. */
  readonly last_attempt_at: string | null;
  /** The status of the last response, or null without one. */
  readonly response_status: number | null;
  /** The first 1,000 characters of the last response, or null without one. */
  readonly response_body: string | null;
  /** Why the last finished attempt failed, or null. */
  readonly error: Failure | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface WebhookDeliveryV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The webhook endpoint that receives the event. */
  readonly webhook_endpoint_id: number;
  /** The event that is sent. Null for a test. */
  readonly event_id: number | null;
  /** The type of the event, or `webhook.test`. */
  readonly event_type: WebhookEventType;
  /** The sequence of the event. Null for a test. */
  readonly sequence: number | null;
  /** First `pending`, then `succeeded`, `failed` (after the last attempt) or `canceled` (its endpoint was deleted). */
  readonly status: WebhookDeliveryStatus;
  /** The number of attempts that have ended. */
  readonly attempts: number;
  /** When the next attempt follows, or null after the last one. A delivery of an endpoint that is disabled or fails may wait longer. */
  readonly next_attempt_at: string | null;
  /** When the last attempt began, or null. */
  readonly last_attempt_at: string | null;
  /** The status of the last response, or null without one. */
  readonly response_status: number | null;
  /** The first 1,000 characters of the last response, or null without one. */
  readonly response_body: string | null;
  /** Why the last finished attempt failed, or null. */
  readonly error: Failure | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface PaymentVoidV1 {
  readonly reason?: string | null | undefined;
}

export interface PaymentVoidV2 {
  readonly reason?: string | null | undefined;
}

export interface WebhookEndpointRewindV1 {
  /** The `sequence` after which the events are delivered again; 0 for all. */
  readonly sequence: number;
}

export interface WebhookEndpointRewindV2 {
  /** The `sequence` after which the events are delivered again; 0 for all. */
  readonly sequence: number;
}

/** An event as a webhook sends it: in its v1 form. A test has the type `webhook.test`, and null as `id` and `sequence`. */
export interface WebhookEvent {
  /** The id of the event. Null for a test. */
  readonly id: number | null;
  /** The position in the feed: 1, 2, 3 … without gaps. Null for a test. */
  readonly sequence: number | null;
  /** What happened, or `webhook.test`. */
  readonly type: WebhookEventType;
  /** The type of the resource that changed. */
  readonly resource_type: EventResourceType;
  /** The resource that changed. */
  readonly resource_id: number;
  /** The version of the resource after the change, as in its ETag. For a deletion, its last version. */
  readonly version: number;
  /** The names of the v1 fields that changed, without `updated_at`. Empty for a creation and a deletion. */
  readonly changed: readonly string[];
  /** The `sub` of the token that made the change. Null for a worker. */
  readonly actor: string | null;
  /** The `X-Request-Id` of the request, or the id of the worker's invocation. */
  readonly request_id: string;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

/** An error response (RFC 9457). In programs, use `status` and `code`. */
export interface Problem {
  /** The meaning of the code, in one sentence. */
  readonly title: string;
  /** The path of a page that explains the code: its meaning, its cause and what to do. */
  readonly type: string;
  /** The HTTP status of the response. */
  readonly status: number;
  /** What is wrong with this request, for people. The wording can change. */
  readonly detail: string;
  /** The kind of error, for programs: stable. */
  readonly code: ProblemCode;
  /** The same as the header `X-Request-Id`. Quote it when you report a problem. */
  readonly request_id: string;
  /** With 422: every error of the request, at most 100. One further entry states how many more there are. */
  readonly errors?: readonly Violation[];
  /** With `policy-denied`: the name of the rule. */
  readonly rule?: string;
  /** With `already-taken`: the name of the field whose value another resource has. */
  readonly field?: string;
  /** With `already-taken`: the id of the other resource, if the token has the read scope of its collection. */
  readonly conflicting_id?: number;
  /** With `too-many-requests`: the names of the policies of `RateLimit-Policy` that were exceeded. */
  readonly 'violated-policies'?: readonly string[];
  /** With `precondition-failed`: the names of the v1 fields that have changed since the version in `If-Match`, sorted. Absent if that is not an earlier version of the resource, if `If-Match` lists several, or if it is more than 1,000 versions old. */
  readonly changed?: readonly string[];
  /** With `amount-exceeds-due`: what is left to pay, in minor units (v1). */
  readonly amount_due_cents?: number;
  /** With `amount-exceeds-due`: what is left to pay (v2). */
  readonly amount_due?: {
    /** The amount, in minor units. */
    readonly amount: number;
    /** The currency (ISO 4217). */
    readonly currency: string;
  };
  /** With `amount-exceeds-refundable`: what is left to refund, in minor units (v1). */
  readonly amount_refundable_cents?: number;
  /** With `amount-exceeds-refundable`: what is left to refund (v2). */
  readonly amount_refundable?: {
    /** The amount, in minor units. */
    readonly amount: number;
    /** The currency (ISO 4217). */
    readonly currency: string;
  };
  /** With `amount-exceeds-creditable`: what is left to credit, in minor units (v1). */
  readonly amount_creditable_cents?: number;
  /** With `amount-exceeds-creditable`: what is left to credit (v2). */
  readonly amount_creditable?: {
    /** The amount, in minor units. */
    readonly amount: number;
    /** The currency (ISO 4217). */
    readonly currency: string;
  };
}

/** One error of a request, and its place: a pointer, a parameter or a header. */
export interface Violation {
  /** The place in the body (JSON pointer, RFC 6901). Empty for the whole body. */
  readonly pointer?: string;
  /** The name of the query parameter. */
  readonly parameter?: string;
  /** The name of the request header. */
  readonly header?: string;
  /** The kind of error, for programs. */
  readonly code: string;
  /** The error, for people. */
  readonly detail: string;
}

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'canceled';

export type NumberSeriesStatus = 'active' | 'closed';

export type ExportStatus = 'pending' | 'running' | 'completed' | 'failed' | 'canceled';

export type ExportType = 'customers' | 'invoices' | 'payments' | 'refunds' | 'credit-notes';

export type EventType =
  | 'customer.created'
  | 'customer.updated'
  | 'customer.deleted'
  | 'invoice.created'
  | 'invoice.updated'
  | 'invoice.deleted'
  | 'invoice.opened'
  | 'invoice.reopened'
  | 'invoice.paid'
  | 'invoice.canceled'
  | 'invoice_item.created'
  | 'invoice_item.updated'
  | 'invoice_item.deleted'
  | 'payment.created'
  | 'payment.updated'
  | 'payment.deleted'
  | 'payment.partially_refunded'
  | 'payment.refunded'
  | 'payment.voided'
  | 'refund.created'
  | 'refund.updated'
  | 'refund.deleted'
  | 'credit_note.created'
  | 'credit_note.updated'
  | 'credit_note.deleted'
  | 'number_series.created'
  | 'number_series.updated'
  | 'number_series.deleted'
  | 'export.created'
  | 'export.updated'
  | 'export.deleted'
  | 'export.running'
  | 'export.completed'
  | 'export.failed'
  | 'export.canceled'
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.updated'
  | 'webhook_endpoint.deleted';

export type WebhookDeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'canceled';

export type Country =
  | 'AD'
  | 'AE'
  | 'AF'
  | 'AG'
  | 'AI'
  | 'AL'
  | 'AM'
  | 'AO'
  | 'AQ'
  | 'AR'
  | 'AS'
  | 'AT'
  | 'AU'
  | 'AW'
  | 'AX'
  | 'AZ'
  | 'BA'
  | 'BB'
  | 'BD'
  | 'BE'
  | 'BF'
  | 'BG'
  | 'BH'
  | 'BI'
  | 'BJ'
  | 'BL'
  | 'BM'
  | 'BN'
  | 'BO'
  | 'BQ'
  | 'BR'
  | 'BS'
  | 'BT'
  | 'BV'
  | 'BW'
  | 'BY'
  | 'BZ'
  | 'CA'
  | 'CC'
  | 'CD'
  | 'CF'
  | 'CG'
  | 'CH'
  | 'CI'
  | 'CK'
  | 'CL'
  | 'CM'
  | 'CN'
  | 'CO'
  | 'CR'
  | 'CU'
  | 'CV'
  | 'CW'
  | 'CX'
  | 'CY'
  | 'CZ'
  | 'DE'
  | 'DJ'
  | 'DK'
  | 'DM'
  | 'DO'
  | 'DZ'
  | 'EC'
  | 'EE'
  | 'EG'
  | 'EH'
  | 'ER'
  | 'ES'
  | 'ET'
  | 'FI'
  | 'FJ'
  | 'FK'
  | 'FM'
  | 'FO'
  | 'FR'
  | 'GA'
  | 'GB'
  | 'GD'
  | 'GE'
  | 'GF'
  | 'GG'
  | 'GH'
  | 'GI'
  | 'GL'
  | 'GM'
  | 'GN'
  | 'GP'
  | 'GQ'
  | 'GR'
  | 'GS'
  | 'GT'
  | 'GU'
  | 'GW'
  | 'GY'
  | 'HK'
  | 'HM'
  | 'HN'
  | 'HR'
  | 'HT'
  | 'HU'
  | 'ID'
  | 'IE'
  | 'IL'
  | 'IM'
  | 'IN'
  | 'IO'
  | 'IQ'
  | 'IR'
  | 'IS'
  | 'IT'
  | 'JE'
  | 'JM'
  | 'JO'
  | 'JP'
  | 'KE'
  | 'KG'
  | 'KH'
  | 'KI'
  | 'KM'
  | 'KN'
  | 'KP'
  | 'KR'
  | 'KW'
  | 'KY'
  | 'KZ'
  | 'LA'
  | 'LB'
  | 'LC'
  | 'LI'
  | 'LK'
  | 'LR'
  | 'LS'
  | 'LT'
  | 'LU'
  | 'LV'
  | 'LY'
  | 'MA'
  | 'MC'
  | 'MD'
  | 'ME'
  | 'MF'
  | 'MG'
  | 'MH'
  | 'MK'
  | 'ML'
  | 'MM'
  | 'MN'
  | 'MO'
  | 'MP'
  | 'MQ'
  | 'MR'
  | 'MS'
  | 'MT'
  | 'MU'
  | 'MV'
  | 'MW'
  | 'MX'
  | 'MY'
  | 'MZ'
  | 'NA'
  | 'NC'
  | 'NE'
  | 'NF'
  | 'NG'
  | 'NI'
  | 'NL'
  | 'NO'
  | 'NP'
  | 'NR'
  | 'NU'
  | 'NZ'
  | 'OM'
  | 'PA'
  | 'PE'
  | 'PF'
  | 'PG'
  | 'PH'
  | 'PK'
  | 'PL'
  | 'PM'
  | 'PN'
  | 'PR'
  | 'PS'
  | 'PT'
  | 'PW'
  | 'PY'
  | 'QA'
  | 'RE'
  | 'RO'
  | 'RS'
  | 'RU'
  | 'RW'
  | 'SA'
  | 'SB'
  | 'SC'
  | 'SD'
  | 'SE'
  | 'SG'
  | 'SH'
  | 'SI'
  | 'SJ'
  | 'SK'
  | 'SL'
  | 'SM'
  | 'SN'
  | 'SO'
  | 'SR'
  | 'SS'
  | 'ST'
  | 'SV'
  | 'SX'
  | 'SY'
  | 'SZ'
  | 'TC'
  | 'TD'
  | 'TF'
  | 'TG'
  | 'TH'
  | 'TJ'
  | 'TK'
  | 'TL'
  | 'TM'
  | 'TN'
  | 'TO'
  | 'TR'
  | 'TT'
  | 'TV'
  | 'TW'
  | 'TZ'
  | 'UA'
  | 'UG'
  | 'UM'
  | 'US'
  | 'UY'
  | 'UZ'
  | 'VA'
  | 'VC'
  | 'VE'
  | 'VG'
  | 'VI'
  | 'VN'
  | 'VU'
  | 'WF'
  | 'WS'
  | 'YE'
  | 'YT'
  | 'ZA'
  | 'ZM'
  | 'ZW';

export interface Address {
  readonly line1?: string | null | undefined;
  readonly line2?: string | null | undefined;
  readonly city?: string | null | undefined;
  readonly region?: string | null | undefined;
  readonly postal_code?: string | null | undefined;
  readonly country?: Country | null | undefined;
}

export interface BillTo {
  readonly name: string;
  readonly email: string | null;
  readonly tax_id: string | null;
  readonly address: Address | null;
}

export interface TaxEntryV1 {
  readonly tax_percent: number;
  readonly tax_category: string | null;
  readonly taxable_cents: number;
  readonly tax_cents: number;
}

export type InvoiceSettlement = 'payments' | 'external';

export type FirstInvoiceStatus = 'draft' | 'open';

export interface TaxEntryV2 {
  readonly tax_percent: number;
  readonly tax_category: string | null;
  readonly taxable: {
    readonly amount: number;
    readonly currency: string;
  };
  readonly tax: {
    readonly amount: number;
    readonly currency: string;
  };
}

export type PaymentMethod = 'card' | 'bank_transfer' | 'cash' | 'other';

export type PaymentStatus = 'succeeded' | 'partially_refunded' | 'refunded' | 'voided';

export type ExportFormat = 'csv' | 'jsonl';

export type IdFilter = number | string;

export interface Failure {
  readonly code: string;
  readonly detail: string;
}

export type EventResourceType =
  | 'customer'
  | 'invoice'
  | 'invoice_item'
  | 'payment'
  | 'refund'
  | 'credit_note'
  | 'number_series'
  | 'export'
  | 'webhook_endpoint';

export type EventResourceV1 =
  | CustomerV1
  | InvoiceV1
  | InvoiceItemV1
  | PaymentV1
  | RefundV1
  | CreditNoteV1
  | NumberSeriesV1
  | ExportV1
  | WebhookEndpointV1;

export type EventResourceV2 =
  | CustomerV2
  | InvoiceV2
  | InvoiceItemV2
  | PaymentV2
  | RefundV2
  | CreditNoteV2
  | NumberSeriesV2
  | ExportV2
  | WebhookEndpointV2;

export type SubscribedEventType =
  | '*'
  | 'customer.created'
  | 'customer.updated'
  | 'customer.deleted'
  | 'invoice.created'
  | 'invoice.updated'
  | 'invoice.deleted'
  | 'invoice.opened'
  | 'invoice.reopened'
  | 'invoice.paid'
  | 'invoice.canceled'
  | 'invoice_item.created'
  | 'invoice_item.updated'
  | 'invoice_item.deleted'
  | 'payment.created'
  | 'payment.updated'
  | 'payment.deleted'
  | 'payment.partially_refunded'
  | 'payment.refunded'
  | 'payment.voided'
  | 'refund.created'
  | 'refund.updated'
  | 'refund.deleted'
  | 'credit_note.created'
  | 'credit_note.updated'
  | 'credit_note.deleted'
  | 'number_series.created'
  | 'number_series.updated'
  | 'number_series.deleted'
  | 'export.created'
  | 'export.updated'
  | 'export.deleted'
  | 'export.running'
  | 'export.completed'
  | 'export.failed'
  | 'export.canceled'
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.updated'
  | 'webhook_endpoint.deleted';

export type WebhookEndpointStatus = 'enabled' | 'disabled';

export type WebhookEndpointDisabledReason = 'gone' | 'failing' | 'requested';

export type WebhookEventType =
  | 'customer.created'
  | 'customer.updated'
  | 'customer.deleted'
  | 'invoice.created'
  | 'invoice.updated'
  | 'invoice.deleted'
  | 'invoice.opened'
  | 'invoice.reopened'
  | 'invoice.paid'
  | 'invoice.canceled'
  | 'invoice_item.created'
  | 'invoice_item.updated'
  | 'invoice_item.deleted'
  | 'payment.created'
  | 'payment.updated'
  | 'payment.deleted'
  | 'payment.partially_refunded'
  | 'payment.refunded'
  | 'payment.voided'
  | 'refund.created'
  | 'refund.updated'
  | 'refund.deleted'
  | 'credit_note.created'
  | 'credit_note.updated'
  | 'credit_note.deleted'
  | 'number_series.created'
  | 'number_series.updated'
  | 'number_series.deleted'
  | 'export.created'
  | 'export.updated'
  | 'export.deleted'
  | 'export.running'
  | 'export.completed'
  | 'export.failed'
  | 'export.canceled'
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.updated'
  | 'webhook_endpoint.deleted'
  | 'webhook.test';

export type ProblemCode =
  | 'malformed-json'
  | 'malformed-query'
  | 'invalid-cursor'
  | 'invalid-header'
  | 'invalid-idempotency-key'
  | 'idempotency-key-required'
  | 'unauthenticated'
  | 'insufficient-scope'
  | 'policy-denied'
  | 'not-found'
  | 'version-required'
  | 'method-not-allowed'
  | 'request-in-progress'
  | 'invoice-not-cancelable'
  | 'invoice-not-reopenable'
  | 'payment-has-refunds'
  | 'invoice-has-payments'
  | 'invoice-has-credit-notes'
  | 'invoice-closed'
  | 'invoice-issued'
  | 'series-in-use'
  | 'already-taken'
  | 'customer-in-use'
  | 'export-not-ready'
  | 'export-not-cancelable'
  | 'delivery-not-retryable'
  | 'export-expired'
  | 'precondition-failed'
  | 'body-too-large'
  | 'unsupported-media-type'
  | 'validation-failed'
  | 'idempotency-key-reused'
  | 'invalid-transition'
  | 'invoice-not-payable'
  | 'amount-exceeds-due'
  | 'payment-voided'
  | 'amount-exceeds-refundable'
  | 'invoice-not-creditable'
  | 'amount-exceeds-creditable'
  | 'too-many-tax-rates'
  | 'total-below-paid'
  | 'currency-locked'
  | 'series-closed'
  | 'issue-date-out-of-order'
  | 'too-many-webhook-endpoints'
  | 'too-many-requests'
  | 'too-many-exports'
  | 'too-many-rewinds'
  | 'internal-error'
  | 'unavailable';

/** The bodies and responses of the collection customers. */
export interface CustomersV1 {
  readonly member: CustomerV1;
  readonly create: CustomerCreationV1;
  readonly update: CustomerPatchV1;
  readonly replace: CustomerReplacementV1;
  readonly delete: true;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly email?: string | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection invoices. */
export interface InvoicesV1 {
  readonly member: InvoiceV1;
  readonly create: InvoiceCreationV1;
  readonly update: InvoicePatchV1;
  readonly replace: InvoiceReplacementV1;
  readonly delete: true;
  readonly actions: {
    readonly cancel: {
      readonly returns: InvoiceV1;
    };
    readonly reopen: {
      readonly returns: InvoiceV1;
    };
  };
  readonly lists: 'payments';
  readonly expand: {
    /** The complete customer. Only with `expand=customer`; null if the invoice has none. */
    readonly customer: CustomerV1 | null;
    /** Its items, oldest first. Only with `expand=items`, and only of a single invoice. */
    readonly items: readonly InvoiceItemV1[];
  };
  readonly listExpand: 'customer';
  readonly filter: {
    readonly status?: InvoiceStatus | readonly InvoiceStatus[] | undefined;
    readonly customer_id?: number | readonly number[] | undefined;
    readonly number?: string | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly due_from?: string | undefined;
    readonly due_before?: string | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id' | 'due_date' | '-due_date';
  readonly offset: true;
}

/** The bodies and responses of the collection invoice-items. */
export interface InvoiceItemsV1 {
  readonly member: InvoiceItemV1;
  readonly create: InvoiceItemCreationV1;
  readonly update: InvoiceItemPatchV1;
  readonly replace: InvoiceItemReplacementV1;
  readonly delete: true;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly invoice_id?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection payments. */
export interface PaymentsV1 {
  readonly member: PaymentV1;
  readonly create: PaymentCreationV1;
  readonly actions: {
    readonly void: {
      readonly body: PaymentVoidV1;
      readonly returns: PaymentV1;
    };
  };
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly invoice_id?: number | readonly number[] | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection refunds. */
export interface RefundsV1 {
  readonly member: RefundV1;
  readonly create: RefundCreationV1;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly payment_id?: number | readonly number[] | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection credit-notes. */
export interface CreditNotesV1 {
  readonly member: CreditNoteV1;
  readonly create: CreditNoteCreationV1;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly invoice_id?: number | readonly number[] | undefined;
    readonly number?: string | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection number-series. */
export interface NumberSeriesV1 {
  readonly member: NumberSeriesV1;
  readonly create: NumberSeriesCreationV1;
  readonly update: NumberSeriesPatchV1;
  readonly delete: true;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly status?: NumberSeriesStatus | readonly NumberSeriesStatus[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection exports. */
export interface ExportsV1 {
  readonly member: ExportV1;
  readonly create: ExportCreationV1;
  readonly actions: {
    readonly cancel: {
      readonly returns: ExportV1;
    };
  };
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly status?: ExportStatus | readonly ExportStatus[] | undefined;
    readonly type?: ExportType | readonly ExportType[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection events. */
export interface EventsV1 {
  readonly member: EventV1;
  readonly expand: {
    /** The resource as it is now. Only with `expand=resource`; null if it was deleted. */
    readonly resource: EventResourceV1 | null;
  };
  readonly listExpand: 'resource';
  readonly filter: {
    readonly type?: EventType | readonly EventType[] | undefined;
    readonly resource_id?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection webhook-endpoints. */
export interface WebhookEndpointsV1 {
  readonly member: WebhookEndpointV1;
  readonly create: WebhookEndpointCreationV1;
  readonly update: WebhookEndpointPatchV1;
  readonly delete: true;
  readonly actions: {
    readonly 'rotate-secret': {
      readonly returns: WebhookEndpointV1;
    };
    readonly test: {
      readonly returns: WebhookDeliveryV1;
    };
    readonly rewind: {
      readonly body: WebhookEndpointRewindV1;
      readonly returns: WebhookEndpointV1;
    };
  };
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection webhook-deliveries. */
export interface WebhookDeliveriesV1 {
  readonly member: WebhookDeliveryV1;
  readonly actions: {
    readonly retry: {
      readonly returns: WebhookDeliveryV1;
    };
  };
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly webhook_endpoint_id?: number | readonly number[] | undefined;
    readonly status?: WebhookDeliveryStatus | readonly WebhookDeliveryStatus[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: true;
}

/** The bodies and responses of the collection customers. */
export interface CustomersV2 {
  readonly member: CustomerV2;
  readonly create: CustomerCreationV2;
  readonly update: CustomerPatchV2;
  readonly replace: CustomerReplacementV2;
  readonly delete: true;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly email?: string | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The bodies and responses of the collection invoices. */
export interface InvoicesV2 {
  readonly member: InvoiceV2;
  readonly create: InvoiceCreationV2;
  readonly update: InvoicePatchV2;
  readonly replace: InvoiceReplacementV2;
  readonly delete: true;
  readonly actions: {
    readonly cancel: {
      readonly returns: InvoiceV2;
    };
    readonly reopen: {
      readonly returns: InvoiceV2;
    };
  };
  readonly lists: 'payments';
  readonly expand: {
    /** The complete customer. Only with `expand=customer`; null if the invoice has none. */
    readonly customer: CustomerV2 | null;
    /** Its items, oldest first. Only with `expand=items`, and only of a single invoice. */
    readonly items: readonly InvoiceItemV2[];
  };
  readonly listExpand: 'customer';
  readonly filter: {
    readonly status?: InvoiceStatus | readonly InvoiceStatus[] | undefined;
    readonly customer_id?: number | readonly number[] | undefined;
    readonly number?: string | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly due_from?: string | undefined;
    readonly due_before?: string | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id' | 'due_date' | '-due_date';
  readonly offset: false;
}

/** The bodies and responses of the collection invoice-items. */
export interface InvoiceItemsV2 {
  readonly member: InvoiceItemV2;
  readonly create: InvoiceItemCreationV2;
  readonly update: InvoiceItemPatchV2;
  readonly replace: InvoiceItemReplacementV2;
  readonly delete: true;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly invoice_id?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The bodies and responses of the collection payments. */
export interface PaymentsV2 {
  readonly member: PaymentV2;
  readonly create: PaymentCreationV2;
  readonly actions: {
    readonly void: {
      readonly body: PaymentVoidV2;
      readonly returns: PaymentV2;
    };
  };
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly invoice_id?: number | readonly number[] | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The bodies and responses of the collection refunds. */
export interface RefundsV2 {
  readonly member: RefundV2;
  readonly create: RefundCreationV2;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly payment_id?: number | readonly number[] | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The bodies and responses of the collection credit-notes. */
export interface CreditNotesV2 {
  readonly member: CreditNoteV2;
  readonly create: CreditNoteCreationV2;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly invoice_id?: number | readonly number[] | undefined;
    readonly number?: string | undefined;
    readonly external_id?: string | undefined;
    readonly ids?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The bodies and responses of the collection number-series. */
export interface NumberSeriesV2 {
  readonly member: NumberSeriesV2;
  readonly create: NumberSeriesCreationV2;
  readonly update: NumberSeriesPatchV2;
  readonly delete: true;
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly status?: NumberSeriesStatus | readonly NumberSeriesStatus[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The bodies and responses of the collection exports. */
export interface ExportsV2 {
  readonly member: ExportV2;
  readonly create: ExportCreationV2;
  readonly actions: {
    readonly cancel: {
      readonly returns: ExportV2;
    };
  };
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly status?: ExportStatus | readonly ExportStatus[] | undefined;
    readonly type?: ExportType | readonly ExportType[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The bodies and responses of the collection events. */
export interface EventsV2 {
  readonly member: EventV2;
  readonly expand: {
    /** The resource as it is now. Only with `expand=resource`; null if it was deleted. */
    readonly resource: EventResourceV2 | null;
  };
  readonly listExpand: 'resource';
  readonly filter: {
    readonly type?: EventType | readonly EventType[] | undefined;
    readonly resource_id?: number | readonly number[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The bodies and responses of the collection webhook-endpoints. */
export interface WebhookEndpointsV2 {
  readonly member: WebhookEndpointV2;
  readonly create: WebhookEndpointCreationV2;
  readonly update: WebhookEndpointPatchV2;
  readonly delete: true;
  readonly actions: {
    readonly 'rotate-secret': {
      readonly returns: WebhookEndpointV2;
    };
    readonly test: {
      readonly returns: WebhookDeliveryV2;
    };
    readonly rewind: {
      readonly body: WebhookEndpointRewindV2;
      readonly returns: WebhookEndpointV2;
    };
  };
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The bodies and responses of the collection webhook-deliveries. */
export interface WebhookDeliveriesV2 {
  readonly member: WebhookDeliveryV2;
  readonly actions: {
    readonly retry: {
      readonly returns: WebhookDeliveryV2;
    };
  };
  readonly expand: object;
  readonly listExpand: never;
  readonly filter: {
    readonly webhook_endpoint_id?: number | readonly number[] | undefined;
    readonly status?: WebhookDeliveryStatus | readonly WebhookDeliveryStatus[] | undefined;
    readonly created_from?: string | undefined;
    readonly created_before?: string | undefined;
  };
  readonly sort: 'id' | '-id';
  readonly offset: false;
}

/** The collections of each version. */
export interface Resources {
  readonly v1: {
    readonly customers: CustomersV1;
    readonly invoices: InvoicesV1;
    readonly 'invoice-items': InvoiceItemsV1;
    readonly payments: PaymentsV1;
    readonly refunds: RefundsV1;
    readonly 'credit-notes': CreditNotesV1;
    readonly 'number-series': NumberSeriesV1;
    readonly exports: ExportsV1;
    readonly events: EventsV1;
    readonly 'webhook-endpoints': WebhookEndpointsV1;
    readonly 'webhook-deliveries': WebhookDeliveriesV1;
  };
  readonly v2: {
    readonly customers: CustomersV2;
    readonly invoices: InvoicesV2;
    readonly 'invoice-items': InvoiceItemsV2;
    readonly payments: PaymentsV2;
    readonly refunds: RefundsV2;
    readonly 'credit-notes': CreditNotesV2;
    readonly 'number-series': NumberSeriesV2;
    readonly exports: ExportsV2;
    readonly events: EventsV2;
    readonly 'webhook-endpoints': WebhookEndpointsV2;
    readonly 'webhook-deliveries': WebhookDeliveriesV2;
  };
}
