import { type Operation, resourceOfGet } from '#shared/platform/endpoint.ts';
import { normalForm } from '#shared/platform/http/request/field-selection.ts';
import { parseQuery } from '#shared/platform/http/request/query.ts';
import type { Product } from '#shared/platform/product.ts';
import { requireScope } from './authenticate.ts';
import { type Step, when } from './step.ts';

/** Decodes the query. `expand` requires the scope to read each expanded resource (CONTRACT §2). */
export const query: Step<Operation> = {
  name: 'query',
  refuses: (operation) => ['malformed-query', ...when(hasRelations(operation), 'insufficient-scope')],
  before: (event, { endpoint }) => {
    event.query = parseQuery(event.rawQueryString);
    const expanded = event.query.filter(([name]) => name === 'expand').flatMap(([, list]) => normalForm(list));
    for (const [name, { resource }] of relationsOf(endpoint)) {
      if (expanded.includes(name)) requireScope(event, `${resource.scope}:read` as Product['scope']);
    }
  },
};

const relationsOf = (operation: Operation) => Object.entries(resourceOfGet(operation)?.relations ?? {});
const hasRelations = (operation: Operation): boolean => relationsOf(operation).length > 0;
