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
    for (const [name, { resources }] of relationsOf(endpoint)) {
      const [resource, ...others] = resources;
      // With several possible resources, the rows decide which scopes are necessary (expand.ts).
      const isKnown = resource && others.length === 0;
      if (expanded.includes(name) && isKnown) requireScope(event, `${resource.scope}:read` as Product['scope']);
    }
  },
};

const relationsOf = (operation: Operation) => Object.entries(resourceOfGet(operation)?.relations ?? {});
const hasRelations = (operation: Operation): boolean => relationsOf(operation).length > 0;
