import * as v from 'valibot';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { Id } from '#shared/platform/wire/schema.ts';

/** The pointers to the ids in a body that must belong to the caller's account (CONTRACT §2). */
export const referencesOf = ({ body }: Pick<Operation, 'body'>): string[] => {
  const pointers = Object.values(body ?? {}).flatMap((schema) => idsIn(schema));
  return [...new Set(pointers)].filter((pointer) => !pointer.startsWith(FILTER));
};

/** The pointers to all ids in a value of a schema; `*` stands for any element or key. */
export const idsIn = (schema: v.GenericSchema, pointer = ''): string[] => {
  if (schema === Id) return [pointer];
  const parts = { ...schema, ...v.getMetadata(schema) } as Parts;
  const { wrapped, item, options = [], entries = {}, members, values } = parts;
  const here = [wrapped, members, ...options].filter(isSchema).flatMap((part) => idsIn(part, pointer));
  const each = [item, values].filter(isSchema).flatMap((part) => idsIn(part, `${pointer}/*`));
  const named = Object.entries(entries).flatMap(([name, part]) => idsIn(part, `${pointer}/${name}`));
  return [...new Set([...here, ...each, ...named])];
};

/** An id in a filter does not have to exist (CONTRACT §12). */
const FILTER = '/filter/';

/** The properties in which schemas contain other schemas. An object has its members in its metadata. */
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
