/** The names of a new resource. */
export interface Words {
  /** `purchase-orders`. */
  readonly collection: string;
  /** `purchaseOrders`. */
  readonly store: string;
  /** `purchase_order`. */
  readonly type: string;
  /** `PurchaseOrder`. */
  readonly name: string;
  /** `purchaseOrder`. */
  readonly variable: string;
  /** `a purchase order`. */
  readonly one: string;
  /** `purchase orders`. */
  readonly many: string;
  /** Whether the list must state the type, because it is not the collection without its last letter. */
  readonly isIrregular: boolean;
}

/** @throws Error for a text that is no plural noun such as `purchase-orders` */
export const wordsOf = (collection: string): Words => {
  if (!/^[a-z]+(-[a-z]+)*s$/.test(collection))
    throw new Error(`${collection || 'The argument'} is not a plural noun such as purchase-orders.`);
  const singular = singularOf(collection);
  const [store, variable] = [camelCase(collection), camelCase(singular)];
  return {
    collection,
    store,
    type: singular.replaceAll('-', '_'),
    name: variable.charAt(0).toUpperCase() + variable.slice(1),
    variable,
    one: `${/^[aeiou]/.test(singular) ? 'an' : 'a'} ${singular.replaceAll('-', ' ')}`,
    many: collection.replaceAll('-', ' '),
    isIrregular: singular !== collection.slice(0, -1),
  };
};

const singularOf = (plural: string): string => {
  if (plural.endsWith('series')) return plural;
  return plural.endsWith('ies') ? `${plural.slice(0, -3)}y` : plural.replace(/(?<=s|x|ch|sh)es$|s$/, '');
};

const camelCase = (words: string): string => words.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
