import { nounOf, type Resource, type Sort } from '#shared/platform/declarations/resource.ts';
import type { Entity } from '#shared/platform/entity.ts';
import type { PageRequest, RequestedAttribute } from '#shared/platform/store/page.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { declareEndpoint, type Input, type Operation } from './endpoint.ts';
import { ok, pageReply } from './reply.ts';

/** Declares `GET /order-lines/{order_line_id}`. */
export const getEndpoint = (
  resource: Resource,
  description = `Returns ${withArticle(nounOf(resource))}.`,
): Operation => {
  const { collection, type } = resource;
  const table = resource.table as TableName;
  return declareEndpoint({
    ...readOf(resource, 'get'),
    route: `GET /${collection}/{${type}_id}`,
    summary: `Get ${withArticle(nounOf(resource))}`,
    description,
    handle: async (input: GetInput, stores: AnyStores<'get'>) =>
      ok(await stores[table].get(input.path[`${type}_id`] as number, input.projection)),
  });
};

/** Declares `GET /order-lines`, with the filters of the resource. */
export const listEndpoint = (resource: Resource, description = describeList(resource)): Operation => {
  const { collection, filters, indexes, sorts, lookups, isReadByIds } = resource;
  const table = resource.table as TableName;
  return declareEndpoint({
    ...readOf(resource, 'list'),
    route: `GET /${collection}`,
    summary: `List ${nounsOf(resource)}`,
    description,
    list: { filters, indexes, sorts, lookups, isReadByIds },
    handle: async ({ page }: Input & { readonly page: PageRequest }, stores: AnyStores<'list'>) =>
      pageReply(await stores[table].list(page)),
  });
};

type AnyStores<Method extends 'get' | 'list'> = Readonly<Record<TableName, Pick<Store<Entity>, Method>>>;

type GetInput = Input & {
  readonly path: Readonly<Record<string, number>>;
  readonly projection: readonly RequestedAttribute[] | undefined;
};

/** The parts that both endpoints have. The names of a resource are known at run time only. */
const readOf = (resource: Resource, method: 'get' | 'list') => ({
  scope: `${resource.scope}:read` as Operation['scope'],
  uses: { [resource.table]: [method] },
  returns: { 200: resource },
});

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** The plural in texts: `order lines`. */
const nounsOf = ({ collection }: Pick<Resource, 'collection'>): string => collection.replaceAll('-', ' ');

const describeList = (resource: Resource): string =>
  `Lists the ${nounsOf(resource)} of the account.${describeFilters(resource.filters)}${(resource.sorts ?? []).map(describeSort).join('')}`;

const describeSort = ({ by, filters, from, before }: Sort): string =>
  ` \`sort=${by}\` and \`sort=-${by}\` list the members with this date, between \`${from}\` and \`${before}\`. ` +
  `They require ${codes(filters)} and cursor pagination, and accept no other filter.`;

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' and ');

const describeFilters = (filters: readonly string[]): string => {
  const names = codes(filters);
  if (filters.length !== 1) return names && ` ${names} select some of them.`;
  const parent = filters[0]?.match(/(.*)_id$/)?.[1]?.replaceAll('_', ' ');
  return ` ${names} selects those ${parent ? `of one ${parent}` : 'with this value'}.`;
};
