import type { Client } from '#client/source/index.ts';

/** A resource, by the names of its fields. */
export type Row = Readonly<Record<string, unknown>>;

/** What the read of a part depends on. */
export interface Context {
  readonly client: Client<'v1'>;
  /** The query of a page of a list, the newest rows first. */
  readonly page: { readonly sort: '-id'; readonly limit: number; readonly after: string | undefined };
  /** The rows of an earlier part, by its heading, once it is read. */
  rows(heading: string): Promise<readonly Row[]>;
}

/** A section of a view: the rows of one list, or one resource. */
export interface Part {
  readonly heading: string;
  /** How it shows a row, if it is no row of a table. */
  readonly shape?: 'facts' | 'timeline';
  /** The names of the fields that it shows, with blanks between them. */
  readonly fields: string;
  /** Of facts: the fields that are shown first and larger. */
  readonly figures?: string;
  /** Filters of its list. */
  readonly links?: readonly { readonly text: string; readonly href: string; readonly isCurrent: boolean }[];
  /** Shown without rows. A part without this text is then hidden. */
  readonly empty?: string;
  readonly read: (context: Context) => PromiseLike<{ data: readonly object[]; next_cursor?: string | null }>;
  readonly action?: {
    /** Undefined: the row does not offer the action. */
    readonly label: (row: Row) => string | undefined;
    readonly run: (client: Client<'v1'>, row: Row) => Promise<unknown>;
  };
}

export interface View {
  readonly title: (row?: Row) => string;
  readonly parts: readonly Part[];
}
