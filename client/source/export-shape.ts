/** A job that writes a file (CONTRACT §4, §9). */
export interface Export {
  readonly id: number;
  readonly type: 'customers' | 'invoices' | 'payments' | 'refunds';
  readonly format: 'csv' | 'jsonl';
  readonly filter: Readonly<Record<string, string | number>>;
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'canceled';
  readonly row_count: number;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly file_url: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What the collection of exports takes and gives, under every version. */
export interface ExportShape<Offset extends boolean> {
  readonly member: Export;
  readonly create: Pick<Export, 'type' | 'format'> & Partial<Pick<Export, 'filter'>>;
  readonly expand: never;
  readonly filter: { readonly status?: Export['status'] | undefined; readonly type?: Export['type'] | undefined };
  readonly offset: Offset;
}
