import * as v from 'valibot';
import type { Operation } from '#shared/platform/endpoint.ts';
import { Id } from '#shared/platform/wire/schema.ts';

/** What a schema of any type may hold other schemas in; an object names its members as metadata. */
interface Parts {
  readonly wrapped?: v.GenericSchema;
  readonly item?: v.GenericSchema;
  readonly options?: readonly v.GenericSchema[];
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly members?: v.GenericSchema;
  readonly values?: v.GenericSchema;
}

const isSchema = (value: unknown): value is v.GenericSchema =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema';

/** The pointers to all ids that a value of this schema holds; `*` stands for any element or key. */
export const idsIn = (schema: v.GenericSchema, pointer = ''): string[] => {
  if (schema === Id) return [pointer];
  const parts = { ...schema, ...v.getMetadata(schema) } as Parts;
  const { wrapped, item, options = [], entries = {}, members, values } = parts;
  const here = [wrapped, members, ...options].filter(isSchema).flatMap((part) => idsIn(part, pointer));
  const each = [item, values].filter(isSchema).flatMap((part) => idsIn(part, `${pointer}/*`));
  const named = Object.entries(entries).flatMap(([name, part]) => idsIn(part, `${pointer}/${name}`));
  return [...new Set([...here, ...each, ...named])];
};

/** An id in a filter selects rows, and need not name a resource (CONTRACT §12). */
const FILTER = '/filter/';

/** The pointers to the ids in an operation's body that must name a resource of the account (CONTRACT §2). */
export const referencesOf = ({ body }: Pick<Operation, 'body'>): string[] => {
  const pointers = Object.values(body ?? {}).flatMap((schema) => idsIn(schema));
  return [...new Set(pointers)].filter((pointer) => !pointer.startsWith(FILTER));
};
