import type { Write } from '#shared/platform/commit/write.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import type { VersionedId } from '#shared/platform/entity.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import { cacheHeaders, isNotModified, toETag } from '#shared/platform/http/caching.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import {
  type RequestHeader,
  type ResponseHeader,
  type Versioned,
  when,
} from '#shared/platform/http/pipeline/steps/step.ts';
import type { Validated } from '#shared/platform/http/pipeline/steps/validate.ts';
import type { Reply } from '#shared/platform/http/reply.ts';
import { pageBody } from '#shared/platform/http/request/page-envelope.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { contradictions, createSerializer, type Row } from '#shared/platform/wire/field.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { EmbedRelations } from './expand.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/**
 * For collections, and for members that clients poll (CONTRACT §7): a private cache revalidates, a shared cache does
 * not store.
 */
const REVALIDATED = { 'cache-control': 'private, no-cache', vary: 'Authorization' };
/** No cache stores the response to a write, or a temporary URL. */
const NO_STORE = { 'cache-control': 'no-store' };

export const readsOf = (operation: Operation): RequestHeader[] =>
  operation.resource && !operation.list ? ['If-None-Match', 'X-Shared-Cache'] : [];

export const writesOf = (operation: Operation, status: number): ResponseHeader[] => {
  if (status >= 400) return [];
  if (operation.list) return ['Cache-Control', 'Vary', 'Link'];
  const returns: { readonly [Status in number]?: Resource | null } = operation.returns;
  return [
    ...when(returns[status === 304 ? 200 : status], 'ETag'),
    'Cache-Control',
    ...when(operation.method === 'GET', 'Vary'),
    ...when([201, 202, 303].includes(status), 'Location'),
    ...when(status === 202 || operation.polled, 'Retry-After'),
  ];
};

/** @param embed the related resources of a row; without it, no resource is embedded */
export const respond = (
  request: Versioned & Validated,
  reply: Reply,
  resource: Resource | undefined,
  embed?: EmbedRelations,
): GatewayResult => {
  const { listing, selection, method, headers: sent, isDryRun, apiVersion: version } = request;
  const { status, location, page, member, retryAfterMs, writes } = reply;
  if (!resource) return { statusCode: status, headers: { ...NO_STORE, ...(location && { location }) } };
  const serialize = createSerializer(resource.fields[version], selection.fields);
  const toWire = !embed
    ? serialize
    : (row: VersionedId): object => ({
        ...serialize(row),
        ...Object.fromEntries(embed(row).map(({ name, body }) => [name, body])),
      });
  if (page && listing) {
    const { body, link } = pageBody(listing, page, toWire);
    return { statusCode: 200, headers: { ...JSON_TYPE, ...REVALIDATED, ...(link && { link }) }, body };
  }
  if (!member) throw new TypeError('A reply with a body must have a member.');
  const etag = toETag(member.version, ...(embed?.(member).map((related) => related.version) ?? []));
  const isRead = method === 'GET' || method === 'HEAD';
  const headers = {
    ...(!isDryRun && { etag }),
    ...(!isRead ? NO_STORE : retryAfterMs ? REVALIDATED : cacheHeaders(sent)),
    ...(retryAfterMs && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
  };
  if (isRead && isNotModified(sent['if-none-match'], etag)) return { statusCode: 304, headers };
  const isNew = status === 201 || status === 202;
  const place = isNew && !isDryRun && { location: `/${version}/${resource.collection}/${member.id}` };
  const future = isDryRun ? futureFields(resource, version, member, writes).map((name) => [name, null]) : [];
  return {
    statusCode: status,
    headers: { ...JSON_TYPE, ...headers, ...place },
    body: JSON.stringify({ ...toWire(member), ...Object.fromEntries(future) }),
  };
};

/** The fields whose values would exist only after the request without `dry_run` (CONTRACT §13). */
const futureFields = (
  resource: Resource,
  version: Version,
  member: VersionedId,
  writes: readonly Write[],
): string[] => {
  const write = writes.find(({ table, key }) => table === resource.table && key['id'] === member.id);
  const isCreation = write !== undefined && 'put' in write;
  const written = isCreation ? write.put : write && 'update' in write ? (write.update.set ?? {}) : {};
  const isFuture = { creation: () => isCreation, commit: (name: string) => name in written, response: () => true };
  return Object.entries(resource.fields[version]).flatMap(([name, { existsFrom }]) =>
    existsFrom && isFuture[existsFrom](name) ? [name] : [],
  );
};

/** @throws ProblemError for a body that contradicts the member that it creates, or its parts (CONTRACT §4, R) */
export const checkReadOnlyFields = (
  { body, apiVersion: version }: Pick<Versioned, 'apiVersion'> & { readonly body?: unknown },
  resource: Resource,
  { member, writes }: Reply,
): void => {
  const parts = Object.entries(resource.relations).flatMap(([name, relation]) => {
    const [part] = relation.resources;
    const list: unknown = Reflect.get(body as object, name);
    if (!relation.parts || !part || !Array.isArray(list)) return [];
    const rows = writes.flatMap((write) => ('put' in write && write.table === part.table ? [write.put] : []));
    return rows.flatMap((row, i) => contradictions(list[i], part.fields[version], row, `/${name}/${i}`));
  });
  const violations = [...contradictions(body, resource.fields[version], member as unknown as Row), ...parts];
  if (violations.length > 0) throw new ProblemError('validation-failed', { violations });
};
