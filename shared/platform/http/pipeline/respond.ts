import type { VersionedId } from '#shared/platform/entity.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Reply } from '#shared/platform/http/reply.ts';
import { memberCache } from '#shared/platform/http/request/cache-control.ts';
import { entityTag, isNotModified } from '#shared/platform/http/request/conditional.ts';
import { pageBody } from '#shared/platform/http/request/pagination.ts';
import { type Resource, written } from '#shared/platform/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Exchange } from './context.ts';
import type { Content, Embed } from './expand.ts';
import type { ParsedRequest } from './validate.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const COLLECTION_CACHE = { 'cache-control': 'private, no-cache', vary: 'Authorization' };

type Row = Readonly<Record<string, unknown>>;

/** Writes a reply in the wire form of the request's version. */
export const respond = (event: Exchange, reply: Reply, content?: Content): GatewayResult => {
  const { listing, selection } = event.request as ParsedRequest;
  if (!content) return { statusCode: reply.status, headers: { ...reply.headers } };
  const { resource, rows, embed } = content;
  const write = (row: VersionedId) => ({
    ...written(resource.fields[event.version as Version], row as unknown as Row, selection.names),
    ...Object.fromEntries(embed(row).map(({ name, body }) => [name, body])),
  });
  if (reply.page && listing) {
    const { body, link } = pageBody(listing, reply.page, rows, write);
    return { statusCode: 200, headers: { ...JSON_TYPE, ...COLLECTION_CACHE, ...(link && { link }) }, body };
  }
  const [row] = rows;
  if (!row) throw new TypeError('A reply with a body needs a member.');
  return member(event, reply, resource, row, write, embed);
};

const member = (
  { method, headers, version }: Exchange,
  { status, headers: more }: Reply,
  { collection }: Resource,
  member: VersionedId,
  write: (row: VersionedId) => unknown,
  embed: Embed,
): GatewayResult => {
  const etag = entityTag(member.version, ...embed(member).map((related) => related.version));
  const isRead = method === 'GET' || method === 'HEAD';
  const common = { etag, ...(isRead && memberCache(headers)), ...more };
  if (isRead && isNotModified(headers['if-none-match'], etag)) return { statusCode: 304, headers: common };
  const location = (status === 201 || status === 202) && { location: `/${version}/${collection}/${member.id}` };
  return {
    statusCode: status,
    headers: { ...JSON_TYPE, ...common, ...location },
    body: JSON.stringify(write(member)),
  };
};
