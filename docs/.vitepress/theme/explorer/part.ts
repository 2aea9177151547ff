import type { Client, EventResourceType } from '#client/source/index.ts';
import { type Cell, toCell } from './cells.ts';

export interface Row {
  readonly id: number;
}

export interface Column<R extends Row = Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell?: (row: R) => Cell;
  readonly action?: {
    /** Undefined: the row does not offer the action. */
    readonly label: (row: R) => string | undefined;
    /** Returns the changed row, if the row changes. */
    readonly run: (client: Client<'v1'>, row: R) => Promise<R | undefined>;
  };
}

export interface Page<R> {
  readonly data: readonly R[];
  readonly next_cursor?: string | null;
}

/** What the read of a part depends on. */
export interface Context {
  readonly client: Client<'v1'>;
  readonly after: string | undefined;
  /** The rows of another part, by its heading. */
  rows<R extends Row>(heading: string): readonly R[];
}

/** A section of a view: the rows of one list, or one resource. */
export interface Part<R extends Row = Row> {
  readonly heading: string;
  readonly shape?: 'facts' | 'timeline';
  /** Of its rows: an event of a row concerns the view. */
  readonly type?: EventResourceType;
  /** Of facts: how many of the first columns are shown larger. */
  readonly figures?: number;
  readonly columns: readonly Column<R>[];
  /** Shown without rows. A part without this text is then hidden. */
  readonly empty?: string;
  /** The headings of the parts whose rows it needs. */
  readonly needs?: readonly string[];
  readonly read: (context: Context) => PromiseLike<Page<R>>;
}

type Named<R> = (keyof R & string) | Column<R & Row>;

/** @param columns names of fields, and columns of other forms */
export const part = <R extends Row>({
  columns,
  ...rest
}: Omit<Part<R>, 'columns'> & { readonly columns: readonly Named<R>[] }): Part => {
  const all = columns.map((column) => (typeof column === 'string' ? fieldColumn(column) : column));
  // Only the part itself knows the type of its rows.
  return { ...rest, columns: all } as unknown as Part;
};

const NUMBERS = ['attempts', 'quantity', 'row_count', 'size_bytes', 'tax_percent'];

const fieldColumn = (name: string): Column => {
  const words = name.replace(/_cents$/, '').replaceAll('_', ' ');
  return {
    title: words[0]?.toUpperCase() + words.slice(1),
    isNumber: name.endsWith('_cents') || NUMBERS.includes(name),
    cell: (row) => toCell(name, row as unknown as Record<string, unknown>),
  };
};

export interface Link {
  readonly text: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

export interface View {
  readonly title: (row?: Row) => string;
  readonly links?: readonly Link[];
  readonly parts: readonly Part[];
  /** Every event of these types concerns the view, also of a resource that it does not show. */
  readonly follows?: readonly EventResourceType[];
  /** Its rows change without events. */
  readonly isPolled?: true;
}
