import { resources } from '#shared/invoicing/index.ts';
import type { Operation } from '#shared/platform/endpoint.ts';
import { routeOf } from '#shared/platform/endpoint.ts';
import type { Resource, ResourceEntry } from '#shared/platform/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const pascalCase = (words: string): string => words.split('-').map(capitalize).join('');

/** `invoice item`: `InvoiceItem`. */
export const resourceName = ({ noun }: Pick<Resource, 'noun'>): string => pascalCase(noun.replaceAll(' ', '-'));

/** @throws Error for a collection that is not in the list of resources */
const entryOf = (collection: string): ResourceEntry => {
  const entry = Object.values(resources).find((one) => one.collection === collection);
  if (!entry) throw new Error(`The list of resources has no ${collection}: shared/invoicing/index.ts.`);
  return entry;
};

/** How the document calls a schema of one version: `InvoiceV1`. */
export const versioned = (name: string, version: Version): string => name + version.toUpperCase();

/** The words of an endpoint's file: `invoices/list-payments` is to list payments of invoices. */
const wordsOf = (file: string): { collection: string; verb: string; object: string } => {
  const [collection = '', name = ''] = file.split('/');
  const [verb = '', ...object] = name.split('-');
  return { collection, verb, object: object.join('-') };
};

/** Unique, and the name that generated clients give to the method: `listInvoicePaymentsV1`. */
export const operationId = (file: string, version?: Version): string => {
  const { collection, verb, object } = wordsOf(file);
  if (collection === 'service') return `get${pascalCase(file.split('/')[1] as string)}`;
  const many = verb === 'list' && object === '';
  const id = verb + (many ? pascalCase(collection) : resourceName(entryOf(collection))) + pascalCase(object);
  return version ? versioned(id, version) : id;
};

/** `invoice-items`: `Invoice items`. */
export const title = (collection: string): string => capitalize(collection.replaceAll('-', ' '));

/** The collection that an operation's path begins with. */
export const collectionOf = (operation: Pick<Operation, 'route'>): string =>
  routeOf(operation).path.split('/')[1] as string;
