import { resources } from '#shared/invoicing/index.ts';
import type { Resource, ResourceEntry } from '#shared/platform/declarations/resource.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';

/** Returns `InvoiceItem` for the type `invoice_item`. */
export const resourceName = ({ type }: Pick<Resource, 'type'>): string => pascalCase(type.replaceAll('_', '-'));

/** Returns `InvoiceV1` for `Invoice` and `v1`. */
export const versioned = (name: string, version: Version): string => name + version.toUpperCase();

/**
 * Returns `listInvoicePaymentsV1` for `invoices/list-payments` and `v1`. Generated clients use it as the name of the
 * method.
 */
export const operationId = (file: string, version?: Version): string => {
  const { collection, verb, object } = wordsOf(file);
  if (collection === 'service') return `get${pascalCase(file.split('/')[1] as string)}`;
  const isCollection = verb === 'list' && object === '';
  const id = verb + (isCollection ? pascalCase(collection) : resourceName(entryOf(collection))) + pascalCase(object);
  return version ? versioned(id, version) : id;
};

/** Returns `Invoice items` for `invoice-items`. */
export const title = (collection: string): string => capitalize(collection.replaceAll('-', ' '));

export const collectionOf = (operation: Pick<Operation, 'path'>): string => operation.path.split('/')[1] as string;

/** Splits `invoices/list-payments` into the collection `invoices`, the verb `list` and the object `payments`. */
const wordsOf = (file: string): { collection: string; verb: string; object: string } => {
  const [collection = '', name = ''] = file.split('/');
  const [verb = '', ...object] = name.split('-');
  return { collection, verb, object: object.join('-') };
};

/** @throws Error for a collection that is not in the list of resources */
const entryOf = (collection: string): ResourceEntry => {
  const entry = Object.values(resources).find((resource) => resource.collection === collection);
  if (!entry) throw new Error(`shared/invoicing/index.ts has no resource with the collection ${collection}.`);
  return entry;
};

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const pascalCase = (words: string): string => words.split('-').map(capitalize).join('');
