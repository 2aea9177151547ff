/** Converts `invoiceItems` with the separator `-` to `invoice-items`. */
type Separated<Name extends string, Separator extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `${Separator}${Lowercase<First>}`}${Separated<Rest, Separator>}`
  : Name;

type Singular<Name extends string> = Name extends `${infer One}s` ? One : Name;

/** The parts of an entry that name a resource irregularly. */
export interface Irregular {
  /** The name of one member, if the plural is not the singular with an `s`. */
  readonly type?: string;
  /** The prefix of the scopes, if the resource shares the scopes of another resource. */
  readonly scope?: string;
}

/** The names of a resource, which follow from the name of its store. */
export interface Names<Store extends string> {
  readonly table: Store;
  readonly variable: string;
  readonly collection: Separated<Store, '-'>;
  readonly type: Separated<Singular<Store>, '_'>;
  readonly scope: Separated<Store, '-'>;
}

interface Indexed {
  readonly indexes: readonly (readonly string[])[];
}

export type Named<Store extends string, E extends Indexed> = Omit<Names<Store>, keyof E> & {
  readonly filters: readonly E['indexes'][number][number][];
} & E;

/**
 * Derives the names of each resource, and its filters from its indexes. `creditNotes` has the table `creditNotes`, the variable `CREDIT_NOTES_TABLE`, the
 * collection and scope `credit-notes`, and the type `credit_note`.
 */
export const named = <E extends Readonly<Record<string, Indexed>>>(
  entries: E,
): { readonly [Store in keyof E & string]: Named<Store, E[Store]> } =>
  // The cast restores the names, which `Object.fromEntries` loses.
  Object.fromEntries(
    Object.entries(entries).map(([store, entry]) => [
      store,
      { ...namesOf(store), filters: [...new Set(entry.indexes.flat())], ...entry },
    ]),
  ) as never;

const namesOf = (store: string): Names<string> => {
  const joinWords = (separator: string) =>
    store.replaceAll(/[A-Z]/g, (letter) => `${separator}${letter.toLowerCase()}`);
  const collection = joinWords('-');
  return {
    table: store,
    variable: `${joinWords('_').toUpperCase()}_TABLE`,
    collection,
    type: joinWords('_').replace(/s$/, ''),
    scope: collection,
  };
};
