declare const process: { readonly env: Readonly<Record<string, string>> };

export const { API = '', TOKEN = '' } = process.env;

/** An amount in cents that 32 bits cannot hold. */
export const AMOUNT = 3_000_000_000;

/** A created resource: its id is null in a dry run. */
interface Created {
  readonly id: number | null;
}

interface Results {
  readonly customer: Created;
  readonly invoice: Created;
  readonly rows: readonly { readonly id?: number; readonly status?: string; readonly total_cents?: number }[];
  readonly next: string | null | undefined;
  readonly error: { readonly code: string } | { readonly message: string } | undefined;
}

/** Prints the results for run.ts. */
export const report = ({ customer, invoice, rows, next, error }: Results): void => {
  const code = error && 'code' in error ? error.code : undefined;
  console.log(JSON.stringify({ customer: customer.id, invoice: invoice.id, rows, next, code }));
};

/** The id of a resource that was created without `dry_run`. */
export const idOf = ({ id }: Created): number => {
  if (id === null) throw new Error('A dry run creates nothing.');
  return id;
};

/** The data of a response of openapi-fetch. */
export const succeeded = <T>({ data, error }: { data?: T; error?: unknown }): T => {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
};
