import { type Operation, relationsOf } from '#shared/platform/endpoint.ts';
import { normalForm } from '#shared/platform/http/request/field-selection.ts';
import { parseQuery } from '#shared/platform/http/request/query.ts';
import type { Scope } from '#shared/vocabulary.ts';
import { requireScope } from './authenticate.ts';
import { type Step, when } from './step.ts';

/** Decodes the query. `expand` requires the scope to read each expanded resource (CONTRACT §2). */
export const query: Step<Operation> = {
  name: 'query',
  refuses: (operation) => ['malformed-query', ...when(scopedRelations(operation).length > 0, 'insufficient-scope')],
  before: (event, { endpoint }) => {
    event.query = parseQuery(event.rawQueryString);
    const expanded = event.query.filter(([name]) => name === 'expand').flatMap(([, list]) => normalForm(list));
    for (const [name, scope] of scopedRelations(endpoint)) {
      if (expanded.includes(name)) requireScope(event, scope);
    }
  },
};

/** With several possible resources, the rows of the response decide which scopes are necessary (expand.ts). */
const scopedRelations = (operation: Operation): [name: string, scope: Scope][] =>
  Object.entries(relationsOf(operation)).flatMap(
    ([
      name,
      {
        resources: [first, ...others],
      },
    ]) => (first && others.length === 0 ? [[name, `${first.scope}:read` as Scope]] : []),
  );
