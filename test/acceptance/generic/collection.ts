import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import type { Answer, Caller, Sent, Service } from '../suite/service.ts';
import { ownHeaders } from '../suite/transport.ts';
import { type Profile, UNIQUE } from './profile.ts';

export interface Member {
  readonly path: string;
  readonly id: string;
  /** The response to its creation. */
  readonly created: Answer;
}

export interface Page {
  readonly ids: readonly string[];
  /** The path and query of the next page. */
  readonly next: string | undefined;
  readonly json: unknown;
}

export const OTHER: Caller = { account: 'other' };
const MOST_PAGES = 1000;

const fill = (template: object): object =>
  JSON.parse(JSON.stringify(template).replaceAll(UNIQUE, randomUUID().slice(0, 8)));

const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address, 'http://service');
  return pathname + search;
};

/** The path of the member that a creation returned. */
export const locationOf = (profile: Profile, { headers, json }: Answer): string | undefined => {
  const { location } = headers;
  if (profile.location === 'header') return location && pathOf(location);
  return json?.[profile.id] === undefined ? undefined : memberPath(profile, String(json[profile.id]));
};

const memberPath = ({ member, collection }: Profile, id: string): string =>
  (member ?? `${collection}/{id}`).replace('{id}', encodeURIComponent(id));

const nextOf = ({ list, collection }: Profile, { json, headers }: Answer, limit: string): string | undefined => {
  if (list.next === null) {
    const [, link] = /<([^>]*)>\s*;[^,]*\brel="?next\b/.exec(headers['link'] ?? '') ?? [];
    return link && pathOf(new URL(link, `http://service${collection}`).href);
  }
  const cursor = json[list.next];
  if (cursor === null || cursor === undefined) return undefined;
  return `${collection}?${new URLSearchParams({ [list.limit]: limit, [list.after]: cursor })}`;
};

/** The requests of the checks, in the words of the profile. */
export const collectionOf = (profile: Profile, service: Service) => {
  const { statuses, list } = profile;
  const { send } = service;

  const post = (body: unknown, { headers, ...sent }: Sent = {}): Promise<Answer> =>
    send(profile.collection, {
      method: 'POST',
      body,
      headers: { [profile.idempotency_key.toLowerCase()]: randomUUID(), ...headers },
      ...sent,
    });

  /** The member that the response created. */
  const toMember = (created: Answer): Member => {
    expect(created.status).toBe(statuses.created);
    const path = locationOf(profile, created);
    if (path === undefined) throw new Error(`The creation names no member: ${created.text.slice(0, 500)}`);
    return { path, id: decodeURIComponent(path.split('/').at(-1) as string), created };
  };

  const firstPage = (limit: number): string => `${profile.collection}?${list.limit}=${limit}`;

  const page = async (target: string, as: Caller = {}): Promise<Page> => {
    const answer = await send(target, { as });
    if (answer.status !== 200) throw new Error(`GET ${target}: ${answer.status} ${answer.text.slice(0, 500)}`);
    const rows: Record<string, unknown>[] = list.data === null ? answer.json : answer.json[list.data];
    const limit = new URLSearchParams(target.split('?')[1]).get(list.limit) as string;
    return {
      ids: rows.map((row) => String(row[profile.id])),
      next: nextOf(profile, answer, limit),
      json: answer.json,
    };
  };

  /** All pages, with a pause for other requests after each. */
  const pages = async (
    limit: number,
    { as = {}, after }: { as?: Caller; after?: (page: Page) => Promise<unknown> } = {},
  ): Promise<Page[]> => {
    const all: Page[] = [];
    for (let target: string | undefined = firstPage(limit); target !== undefined; ) {
      if (all.length === MOST_PAGES) throw new Error(`The list does not end after ${MOST_PAGES} pages.`);
      const one: Page = await page(target, as);
      all.push(one);
      await after?.(one);
      target = one.next;
    }
    return all;
  };

  return {
    profile,
    service,
    send,
    post,
    toMember,
    page,
    pages,
    firstPage,
    missing: memberPath(profile, profile.missing),
    /** A new body of this kind. */
    body: (kind: 'create' | 'change' = 'create') => fill(profile[kind]),
    create: async (as: Caller = {}): Promise<Member> => toMember(await post(fill(profile.create), { as })),
    change: (path: string, sent: Sent = {}) =>
      send(path, { method: profile.change_method, body: fill(profile.change), ...sent }),
    remove: (path: string, sent: Sent = {}) => send(path, { method: 'DELETE', ...sent }),
    /** The ids of all members of the account. */
    ids: async (as: Caller = {}): Promise<string[]> => (await pages(list.maximum, { as })).flatMap(({ ids }) => ids),
    /** The headers of a token, for a request of `nobody`. */
    authorization: (token: string) => authorizationOf(profile, token),
    /** The headers that do not differ between two equal responses. */
    headersOf: (answer: Answer): Record<string, string> =>
      Object.fromEntries(
        Object.entries(ownHeaders(answer)).filter(([one]) => one !== 'content-length' && !profile.varies.includes(one)),
      ),
  };
};

export type Collection = ReturnType<typeof collectionOf>;

export const authorizationOf = ({ authorization }: Profile, token: string): Record<string, string> => ({
  [authorization.header.toLowerCase()]: authorization.value.replace('{token}', token),
});

/** Expects a problem of this status, as the profile describes it. */
export const expectProblem = ({ profile }: Collection, { status, headers, text, json }: Answer, expected: number) => {
  const { media_type, members } = profile.problems;
  expect([status, headers['content-type']?.split(';')[0]]).toEqual([expected, media_type]);
  expect(Object.keys(json)).toEqual(expect.arrayContaining(members));
  if (json.status !== undefined) expect(json.status).toBe(status);
  for (const one of ['type', 'title', 'detail']) expect([one, typeof (json[one] ?? '')]).toEqual([one, 'string']);
  if (json.type !== undefined)
    expect([json.type, URL.canParse(json.type, 'http://service')]).toEqual([json.type, true]);
  expect(text).not.toMatch(/\n\s+at |node_modules|\/.*\.[jt]s:\d/);
};
