// Written by `npm run client:types` from docs/openapi.json: not to be edited.

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

export type Code =
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
  | 'invoice-has-payments'
  | 'invoice-closed'
  | 'customer-in-use'
  | 'export-not-ready'
  | 'export-not-cancelable'
  | 'export-expired'
  | 'precondition-failed'
  | 'body-too-large'
  | 'unsupported-media-type'
  | 'validation-failed'
  | 'idempotency-key-reused'
  | 'invalid-transition'
  | 'invoice-not-payable'
  | 'amount-exceeds-due'
  | 'amount-exceeds-refundable'
  | 'total-below-paid'
  | 'currency-locked'
  | 'too-many-requests'
  | 'too-many-exports'
  | 'internal-error'
  | 'unavailable';

export interface CustomerV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The name of the person or company. */
  readonly name: string;
  /** An address to write to; kept as it is sent. */
  readonly email: string | null;
  /** A tax number, such as a VAT identification number; kept as it is sent. */
  readonly tax_id: string | null;
  /** The postal address, any part of which may be missing. */
  readonly address: {
    readonly line1?: string | null;
    readonly line2?: string | null;
    readonly city?: string | null;
    readonly region?: string | null;
    readonly postal_code?: string | null;
    readonly country?: Country | null;
  } | null;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewCustomerV1 {
  /** The name of the person or company. */
  readonly name: string;
  /** An address to write to; kept as it is sent. */
  readonly email?: string | null | undefined;
  /** A tax number, such as a VAT identification number; kept as it is sent. */
  readonly tax_id?: string | null | undefined;
  /** The postal address, any part of which may be missing. */
  readonly address?:
    | {
        readonly line1?: string | null | undefined;
        readonly line2?: string | null | undefined;
        readonly city?: string | null | undefined;
        readonly region?: string | null | undefined;
        readonly postal_code?: string | null | undefined;
        readonly country?: Country | null | undefined;
      }
    | null
    | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface CustomerReplacementV1 {
  /** The name of the person or company. */
  readonly name: string;
  /** An address to write to; kept as it is sent. */
  readonly email?: string | null | undefined;
  /** A tax number, such as a VAT identification number; kept as it is sent. */
  readonly tax_id?: string | null | undefined;
  /** The postal address, any part of which may be missing. */
  readonly address?:
    | {
        readonly line1?: string | null | undefined;
        readonly line2?: string | null | undefined;
        readonly city?: string | null | undefined;
        readonly region?: string | null | undefined;
        readonly postal_code?: string | null | undefined;
        readonly country?: Country | null | undefined;
      }
    | null
    | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface CustomerPatchV1 {
  /** The name of the person or company. */
  readonly name?: string | undefined;
  /** An address to write to; kept as it is sent. */
  readonly email?: string | null | undefined;
  /** A tax number, such as a VAT identification number; kept as it is sent. */
  readonly tax_id?: string | null | undefined;
  /** The postal address, any part of which may be missing. */
  readonly address?:
    | {
        readonly line1?: string | null | undefined;
        readonly line2?: string | null | undefined;
        readonly city?: string | null | undefined;
        readonly region?: string | null | undefined;
        readonly postal_code?: string | null | undefined;
        readonly country?: Country | null | undefined;
      }
    | null
    | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface CustomerV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The name of the person or company. */
  readonly name: string;
  /** An address to write to; kept as it is sent. */
  readonly email: string | null;
  /** A tax number, such as a VAT identification number; kept as it is sent. */
  readonly tax_id: string | null;
  /** The postal address, any part of which may be missing. */
  readonly address: {
    readonly line1?: string | null;
    readonly line2?: string | null;
    readonly city?: string | null;
    readonly region?: string | null;
    readonly postal_code?: string | null;
    readonly country?: Country | null;
  } | null;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewCustomerV2 {
  /** The name of the person or company. */
  readonly name: string;
  /** An address to write to; kept as it is sent. */
  readonly email?: string | null | undefined;
  /** A tax number, such as a VAT identification number; kept as it is sent. */
  readonly tax_id?: string | null | undefined;
  /** The postal address, any part of which may be missing. */
  readonly address?:
    | {
        readonly line1?: string | null | undefined;
        readonly line2?: string | null | undefined;
        readonly city?: string | null | undefined;
        readonly region?: string | null | undefined;
        readonly postal_code?: string | null | undefined;
        readonly country?: Country | null | undefined;
      }
    | null
    | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface CustomerReplacementV2 {
  /** The name of the person or company. */
  readonly name: string;
  /** An address to write to; kept as it is sent. */
  readonly email?: string | null | undefined;
  /** A tax number, such as a VAT identification number; kept as it is sent. */
  readonly tax_id?: string | null | undefined;
  /** The postal address, any part of which may be missing. */
  readonly address?:
    | {
        readonly line1?: string | null | undefined;
        readonly line2?: string | null | undefined;
        readonly city?: string | null | undefined;
        readonly region?: string | null | undefined;
        readonly postal_code?: string | null | undefined;
        readonly country?: Country | null | undefined;
      }
    | null
    | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface CustomerPatchV2 {
  /** The name of the person or company. */
  readonly name?: string | undefined;
  /** An address to write to; kept as it is sent. */
  readonly email?: string | null | undefined;
  /** A tax number, such as a VAT identification number; kept as it is sent. */
  readonly tax_id?: string | null | undefined;
  /** The postal address, any part of which may be missing. */
  readonly address?:
    | {
        readonly line1?: string | null | undefined;
        readonly line2?: string | null | undefined;
        readonly city?: string | null | undefined;
        readonly region?: string | null | undefined;
        readonly postal_code?: string | null | undefined;
        readonly country?: Country | null | undefined;
      }
    | null
    | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** `draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. `canceled` is reached by `POST …/cancel` alone. */
  readonly status: 'draft' | 'open' | 'paid' | 'canceled';
  /** What is charged, in minor units; of an itemized invoice, the sum of its items. */
  readonly total_cents: number;
  /** The ISO 4217 code of all its amounts; fixed once there are payments. */
  readonly currency: string;
  /** The customer it is for, or null. */
  readonly customer_id: number | null;
  /** The day it is due, or null. */
  readonly due_date: string | null;
  /** What it is for. */
  readonly description: string | null;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The sum of its payments, refunded or not. */
  readonly amount_paid_cents: number;
  /** What is left to pay of a draft or an open invoice; 0 of any other. */
  readonly amount_due_cents: number;
  /** When it became `paid`, or null. */
  readonly paid_at: string | null;
  /** When it was canceled, or null. */
  readonly canceled_at: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
  /** The customer, whole; only with `expand=customer`, and null where there is none. */
  readonly customer?: CustomerV1 | null;
}

export interface NewInvoiceV1 {
  /** `draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. `canceled` is reached by `POST …/cancel` alone. */
  readonly status?: 'draft' | 'open' | undefined;
  /** What is charged, in minor units; of an itemized invoice, the sum of its items. */
  readonly total_cents?: number | undefined;
  /** The ISO 4217 code of all its amounts; fixed once there are payments. */
  readonly currency?: string | undefined;
  /** The customer it is for, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day it is due, or null. */
  readonly due_date?: string | null | undefined;
  /** What it is for. */
  readonly description?: string | null | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_paid_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_due_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly paid_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly canceled_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceReplacementV1 {
  /** `draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. `canceled` is reached by `POST …/cancel` alone. */
  readonly status?: 'draft' | 'open' | 'paid' | 'canceled' | undefined;
  /** What is charged, in minor units; of an itemized invoice, the sum of its items. */
  readonly total_cents?: number | undefined;
  /** The ISO 4217 code of all its amounts; fixed once there are payments. */
  readonly currency?: string | undefined;
  /** The customer it is for, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day it is due, or null. */
  readonly due_date?: string | null | undefined;
  /** What it is for. */
  readonly description?: string | null | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_paid_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_due_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly paid_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly canceled_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoicePatchV1 {
  /** `draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. `canceled` is reached by `POST …/cancel` alone. */
  readonly status?: 'draft' | 'open' | 'paid' | 'canceled' | undefined;
  /** What is charged, in minor units; of an itemized invoice, the sum of its items. */
  readonly total_cents?: number | undefined;
  /** The ISO 4217 code of all its amounts; fixed once there are payments. */
  readonly currency?: string | undefined;
  /** The customer it is for, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day it is due, or null. */
  readonly due_date?: string | null | undefined;
  /** What it is for. */
  readonly description?: string | null | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_paid_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_due_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly paid_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly canceled_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** `draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. `canceled` is reached by `POST …/cancel` alone. */
  readonly status: 'draft' | 'open' | 'paid' | 'canceled';
  /** What is charged, in minor units; of an itemized invoice, the sum of its items. */
  readonly total: {
    readonly amount: number;
    readonly currency: string;
  };
  /** The customer it is for, or null. */
  readonly customer_id: number | null;
  /** The day it is due, or null. */
  readonly due_date: string | null;
  /** What it is for. */
  readonly description: string | null;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The sum of its payments, refunded or not. */
  readonly amount_paid: {
    readonly amount: number;
    readonly currency: string;
  };
  /** What is left to pay of a draft or an open invoice; 0 of any other. */
  readonly amount_due: {
    readonly amount: number;
    readonly currency: string;
  };
  /** When it became `paid`, or null. */
  readonly paid_at: string | null;
  /** When it was canceled, or null. */
  readonly canceled_at: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
  /** The customer, whole; only with `expand=customer`, and null where there is none. */
  readonly customer?: CustomerV2 | null;
}

export interface NewInvoiceV2 {
  /** `draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. `canceled` is reached by `POST …/cancel` alone. */
  readonly status?: 'draft' | 'open' | undefined;
  /** What is charged, in minor units; of an itemized invoice, the sum of its items. */
  readonly total?:
    | {
        readonly amount: number;
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The customer it is for, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day it is due, or null. */
  readonly due_date?: string | null | undefined;
  /** What it is for. */
  readonly description?: string | null | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_paid?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_due?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly paid_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly canceled_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceReplacementV2 {
  /** `draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. `canceled` is reached by `POST …/cancel` alone. */
  readonly status?: 'draft' | 'open' | 'paid' | 'canceled' | undefined;
  /** What is charged, in minor units; of an itemized invoice, the sum of its items. */
  readonly total?:
    | {
        readonly amount: number;
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The customer it is for, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day it is due, or null. */
  readonly due_date?: string | null | undefined;
  /** What it is for. */
  readonly description?: string | null | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_paid?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_due?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly paid_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly canceled_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoicePatchV2 {
  /** `draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. `canceled` is reached by `POST …/cancel` alone. */
  readonly status?: 'draft' | 'open' | 'paid' | 'canceled' | undefined;
  /** What is charged, in minor units; of an itemized invoice, the sum of its items. */
  readonly total?:
    | {
        readonly amount: number;
        readonly currency?: string | undefined;
      }
    | undefined;
  /** The customer it is for, or null. */
  readonly customer_id?: number | null | undefined;
  /** The day it is due, or null. */
  readonly due_date?: string | null | undefined;
  /** What it is for. */
  readonly description?: string | null | undefined;
  /** Your own pairs of text: at most 20, keys of at most 40 characters, values of at most 500. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_paid?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_due?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly paid_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly canceled_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface PaymentV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice that is paid: an `open` one. */
  readonly invoice_id: number;
  /** How much is paid, in minor units: at most what is due. */
  readonly amount_cents: number;
  /** How it was paid. */
  readonly method: 'card' | 'bank_transfer' | 'cash' | 'other';
  /** Your own reference, such as a bank’s. */
  readonly reference: string | null;
  /** The invoice’s currency. */
  readonly currency: string;
  /** Whether some or all of it has been refunded. */
  readonly status: 'succeeded' | 'partially_refunded' | 'refunded';
  /** The sum of its refunds. */
  readonly amount_refunded_cents: number;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewPaymentV1 {
  /** The invoice that is paid: an `open` one. */
  readonly invoice_id: number;
  /** How much is paid, in minor units: at most what is due. */
  readonly amount_cents: number;
  /** How it was paid. */
  readonly method?: 'card' | 'bank_transfer' | 'cash' | 'other' | undefined;
  /** Your own reference, such as a bank’s. */
  readonly reference?: string | null | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly currency?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly status?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_refunded_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface PaymentV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice that is paid: an `open` one. */
  readonly invoice_id: number;
  /** How much is paid, in minor units: at most what is due. */
  readonly amount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** How it was paid. */
  readonly method: 'card' | 'bank_transfer' | 'cash' | 'other';
  /** Your own reference, such as a bank’s. */
  readonly reference: string | null;
  /** Whether some or all of it has been refunded. */
  readonly status: 'succeeded' | 'partially_refunded' | 'refunded';
  /** The sum of its refunds. */
  readonly amount_refunded: {
    readonly amount: number;
    readonly currency: string;
  };
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewPaymentV2 {
  /** The invoice that is paid: an `open` one. */
  readonly invoice_id: number;
  /** How much is paid, in minor units: at most what is due. */
  readonly amount: {
    readonly amount: number;
    readonly currency?: string | undefined;
  };
  /** How it was paid. */
  readonly method?: 'card' | 'bank_transfer' | 'cash' | 'other' | undefined;
  /** Your own reference, such as a bank’s. */
  readonly reference?: string | null | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly status?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_refunded?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice it is an item of; it never changes. */
  readonly invoice_id: number;
  /** What is charged for. */
  readonly description: string;
  /** How many units. */
  readonly quantity: number;
  /** The price of one unit, in minor units. */
  readonly unit_amount_cents: number;
  /** Quantity times unit amount. */
  readonly amount_cents: number;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewInvoiceItemV1 {
  /** The invoice it is an item of; it never changes. */
  readonly invoice_id: number;
  /** What is charged for. */
  readonly description: string;
  /** How many units. */
  readonly quantity?: number | undefined;
  /** The price of one unit, in minor units. */
  readonly unit_amount_cents: number;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemReplacementV1 {
  /** The invoice it is an item of; it never changes. */
  readonly invoice_id: number;
  /** What is charged for. */
  readonly description: string;
  /** How many units. */
  readonly quantity?: number | undefined;
  /** The price of one unit, in minor units. */
  readonly unit_amount_cents: number;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemPatchV1 {
  /** The invoice it is an item of; it never changes. */
  readonly invoice_id?: number | undefined;
  /** What is charged for. */
  readonly description?: string | undefined;
  /** How many units. */
  readonly quantity?: number | undefined;
  /** The price of one unit, in minor units. */
  readonly unit_amount_cents?: number | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount_cents?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The invoice it is an item of; it never changes. */
  readonly invoice_id: number;
  /** What is charged for. */
  readonly description: string;
  /** How many units. */
  readonly quantity: number;
  /** The price of one unit, in minor units. */
  readonly unit_amount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** Quantity times unit amount. */
  readonly amount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewInvoiceItemV2 {
  /** The invoice it is an item of; it never changes. */
  readonly invoice_id: number;
  /** What is charged for. */
  readonly description: string;
  /** How many units. */
  readonly quantity?: number | undefined;
  /** The price of one unit, in minor units. */
  readonly unit_amount: {
    readonly amount: number;
    readonly currency?: string | undefined;
  };
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemReplacementV2 {
  /** The invoice it is an item of; it never changes. */
  readonly invoice_id: number;
  /** What is charged for. */
  readonly description: string;
  /** How many units. */
  readonly quantity?: number | undefined;
  /** The price of one unit, in minor units. */
  readonly unit_amount: {
    readonly amount: number;
    readonly currency?: string | undefined;
  };
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface InvoiceItemPatchV2 {
  /** The invoice it is an item of; it never changes. */
  readonly invoice_id?: number | undefined;
  /** What is charged for. */
  readonly description?: string | undefined;
  /** How many units. */
  readonly quantity?: number | undefined;
  /** The price of one unit, in minor units. */
  readonly unit_amount?:
    | {
        readonly amount: number;
        readonly currency?: string | undefined;
      }
    | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly amount?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface RefundV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The payment that is refunded. */
  readonly payment_id: number;
  /** How much goes back, in minor units; left out, all that has not been refunded yet. */
  readonly amount_cents: number;
  /** Why. */
  readonly reason: string | null;
  /** The invoice that had been paid. */
  readonly invoice_id: number;
  /** The invoice’s currency. */
  readonly currency: string;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewRefundV1 {
  /** The payment that is refunded. */
  readonly payment_id: number;
  /** How much goes back, in minor units; left out, all that has not been refunded yet. */
  readonly amount_cents?: number | undefined;
  /** Why. */
  readonly reason?: string | null | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly invoice_id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly currency?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface RefundV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** The payment that is refunded. */
  readonly payment_id: number;
  /** How much goes back, in minor units; left out, all that has not been refunded yet. */
  readonly amount: {
    readonly amount: number;
    readonly currency: string;
  };
  /** Why. */
  readonly reason: string | null;
  /** The invoice that had been paid. */
  readonly invoice_id: number;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewRefundV2 {
  /** The payment that is refunded. */
  readonly payment_id: number;
  /** How much goes back, in minor units; left out, all that has not been refunded yet. */
  readonly amount?:
    | {
        readonly amount: number;
        readonly currency?: string | undefined;
      }
    | undefined;
  /** Why. */
  readonly reason?: string | null | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly invoice_id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface ExportV1 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** Which collection is exported. */
  readonly type: 'customers' | 'invoices' | 'payments' | 'refunds';
  /** `csv` (RFC 4180, with a header row) or `jsonl` (one JSON object a line). */
  readonly format: 'csv' | 'jsonl';
  /** Which rows: the filters of the collection’s list, and `created_from` (inclusive) and `created_before` (exclusive). */
  readonly filter: {
    readonly email?: string;
    readonly status?: 'draft' | 'open' | 'paid' | 'canceled';
    readonly customer_id?: number;
    readonly invoice_id?: number;
    readonly payment_id?: number;
    readonly created_from?: string;
    readonly created_before?: string;
  };
  /** `pending`, then `running`, then `completed`, `failed` or `canceled`. */
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'canceled';
  /** How many rows the file has. */
  readonly row_count: number;
  /** How large the file is. */
  readonly size_bytes: number;
  /** The SHA-256 of the file, to check a download with. */
  readonly sha256: string | null;
  /** The path of the file’s endpoint; null until the export is completed. */
  readonly file_url: string | null;
  /** Why it failed, or null. */
  readonly error: {
    readonly code: string;
    readonly detail: string;
  } | null;
  /** When a worker first took it up, or null. */
  readonly started_at: string | null;
  /** When it was completed, or null. */
  readonly completed_at: string | null;
  /** Until when the file can be had, or null. */
  readonly expires_at: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewExportV1 {
  /** Which collection is exported. */
  readonly type: 'customers' | 'invoices' | 'payments' | 'refunds';
  /** `csv` (RFC 4180, with a header row) or `jsonl` (one JSON object a line). */
  readonly format: 'csv' | 'jsonl';
  /** Which rows: the filters of the collection’s list, and `created_from` (inclusive) and `created_before` (exclusive). */
  readonly filter?:
    | {
        readonly email?: string | undefined;
        readonly status?: 'draft' | 'open' | 'paid' | 'canceled' | undefined;
        readonly customer_id?: number | undefined;
        readonly invoice_id?: number | undefined;
        readonly payment_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      }
    | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly status?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly row_count?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly size_bytes?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly sha256?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly file_url?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly error?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly started_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly completed_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly expires_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

export interface ExportV2 {
  /** The identifier: opaque, and unique among all resources of one collection of the account. */
  readonly id: number;
  /** Which collection is exported. */
  readonly type: 'customers' | 'invoices' | 'payments' | 'refunds';
  /** `csv` (RFC 4180, with a header row) or `jsonl` (one JSON object a line). */
  readonly format: 'csv' | 'jsonl';
  /** Which rows: the filters of the collection’s list, and `created_from` (inclusive) and `created_before` (exclusive). */
  readonly filter: {
    readonly email?: string;
    readonly status?: 'draft' | 'open' | 'paid' | 'canceled';
    readonly customer_id?: number;
    readonly invoice_id?: number;
    readonly payment_id?: number;
    readonly created_from?: string;
    readonly created_before?: string;
  };
  /** `pending`, then `running`, then `completed`, `failed` or `canceled`. */
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'canceled';
  /** How many rows the file has. */
  readonly row_count: number;
  /** How large the file is. */
  readonly size_bytes: number;
  /** The SHA-256 of the file, to check a download with. */
  readonly sha256: string | null;
  /** The path of the file’s endpoint; null until the export is completed. */
  readonly file_url: string | null;
  /** Why it failed, or null. */
  readonly error: {
    readonly code: string;
    readonly detail: string;
  } | null;
  /** When a worker first took it up, or null. */
  readonly started_at: string | null;
  /** When it was completed, or null. */
  readonly completed_at: string | null;
  /** Until when the file can be had, or null. */
  readonly expires_at: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it last changed. */
  readonly updated_at: string;
}

export interface NewExportV2 {
  /** Which collection is exported. */
  readonly type: 'customers' | 'invoices' | 'payments' | 'refunds';
  /** `csv` (RFC 4180, with a header row) or `jsonl` (one JSON object a line). */
  readonly format: 'csv' | 'jsonl';
  /** Which rows: the filters of the collection’s list, and `created_from` (inclusive) and `created_before` (exclusive). */
  readonly filter?:
    | {
        readonly email?: string | undefined;
        readonly status?: 'draft' | 'open' | 'paid' | 'canceled' | undefined;
        readonly customer_id?: number | undefined;
        readonly invoice_id?: number | undefined;
        readonly payment_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      }
    | undefined;
  /** Read-only: accepted, and ignored. */
  readonly id?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly status?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly row_count?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly size_bytes?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly sha256?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly file_url?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly error?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly started_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly completed_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly expires_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly created_at?: unknown;
  /** Read-only: accepted, and ignored. */
  readonly updated_at?: unknown;
}

/** Why a request was refused (RFC 9457). */
export interface Problem {
  /** The path of the page that explains the code. */
  readonly type: string;
  /** What the code means. */
  readonly title: string;
  /** The status of the answer. */
  readonly status: number;
  /** What is wrong with this request. */
  readonly detail: string;
  /** What is wrong, for programs: stable. */
  readonly code: Code;
  /** The same as the header `X-Request-Id`. */
  readonly request_id: string;
  /** All violations at once, with 422 only. When there are more than 100, one further entry states how many more. */
  readonly errors?: readonly Violation[];
  /** With `policy-denied`: which rule. */
  readonly rule?: string;
  /** With `amount-exceeds-due`: what is left to pay, in minor units (v1). */
  readonly amount_due_cents?: number;
  /** With `amount-exceeds-due`: what is left to pay (v2). */
  readonly amount_due?: {
    /** In minor units. */
    readonly amount: number;
    /** ISO 4217. */
    readonly currency: string;
  };
  /** With `amount-exceeds-refundable`: what is left to refund, in minor units (v1). */
  readonly amount_refundable_cents?: number;
  /** With `amount-exceeds-refundable`: what is left to refund (v2). */
  readonly amount_refundable?: {
    /** In minor units. */
    readonly amount: number;
    /** ISO 4217. */
    readonly currency: string;
  };
}

/** One thing that is wrong with a request, and where. */
export interface Violation {
  /** A place in the body (RFC 6901); the whole body is empty. */
  readonly pointer?: string;
  /** A query parameter. */
  readonly parameter?: string;
  /** A header. */
  readonly header?: string;
  /** What is wrong, for programs. */
  readonly code: string;
  /** What is wrong, for people. */
  readonly detail: string;
}

/** What each collection takes and gives, by version. */
export interface Resources {
  readonly v1: {
    readonly customers: {
      readonly member: CustomerV1;
      readonly create: NewCustomerV1;
      readonly update: CustomerPatchV1;
      readonly replace: CustomerReplacementV1;
      readonly expand: never;
      readonly filter: {
        readonly email?: string | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: true;
    };
    readonly invoices: {
      readonly member: InvoiceV1;
      readonly create: NewInvoiceV1;
      readonly update: InvoicePatchV1;
      readonly replace: InvoiceReplacementV1;
      readonly expand: 'customer';
      readonly filter: {
        readonly status?: 'draft' | 'open' | 'paid' | 'canceled' | undefined;
        readonly customer_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: true;
    };
    readonly 'invoice-items': {
      readonly member: InvoiceItemV1;
      readonly create: NewInvoiceItemV1;
      readonly update: InvoiceItemPatchV1;
      readonly replace: InvoiceItemReplacementV1;
      readonly expand: never;
      readonly filter: {
        readonly invoice_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: true;
    };
    readonly payments: {
      readonly member: PaymentV1;
      readonly create: NewPaymentV1;
      readonly expand: never;
      readonly filter: {
        readonly invoice_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: true;
    };
    readonly refunds: {
      readonly member: RefundV1;
      readonly create: NewRefundV1;
      readonly expand: never;
      readonly filter: {
        readonly payment_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: true;
    };
    readonly exports: {
      readonly member: ExportV1;
      readonly create: NewExportV1;
      readonly expand: never;
      readonly filter: {
        readonly status?: 'pending' | 'running' | 'completed' | 'failed' | 'canceled' | undefined;
        readonly type?: 'customers' | 'invoices' | 'payments' | 'refunds' | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: true;
    };
  };
  readonly v2: {
    readonly customers: {
      readonly member: CustomerV2;
      readonly create: NewCustomerV2;
      readonly update: CustomerPatchV2;
      readonly replace: CustomerReplacementV2;
      readonly expand: never;
      readonly filter: {
        readonly email?: string | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: false;
    };
    readonly invoices: {
      readonly member: InvoiceV2;
      readonly create: NewInvoiceV2;
      readonly update: InvoicePatchV2;
      readonly replace: InvoiceReplacementV2;
      readonly expand: 'customer';
      readonly filter: {
        readonly status?: 'draft' | 'open' | 'paid' | 'canceled' | undefined;
        readonly customer_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: false;
    };
    readonly 'invoice-items': {
      readonly member: InvoiceItemV2;
      readonly create: NewInvoiceItemV2;
      readonly update: InvoiceItemPatchV2;
      readonly replace: InvoiceItemReplacementV2;
      readonly expand: never;
      readonly filter: {
        readonly invoice_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: false;
    };
    readonly payments: {
      readonly member: PaymentV2;
      readonly create: NewPaymentV2;
      readonly expand: never;
      readonly filter: {
        readonly invoice_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: false;
    };
    readonly refunds: {
      readonly member: RefundV2;
      readonly create: NewRefundV2;
      readonly expand: never;
      readonly filter: {
        readonly payment_id?: number | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: false;
    };
    readonly exports: {
      readonly member: ExportV2;
      readonly create: NewExportV2;
      readonly expand: never;
      readonly filter: {
        readonly status?: 'pending' | 'running' | 'completed' | 'failed' | 'canceled' | undefined;
        readonly type?: 'customers' | 'invoices' | 'payments' | 'refunds' | undefined;
        readonly created_from?: string | undefined;
        readonly created_before?: string | undefined;
      };
      readonly offset: false;
    };
  };
}
