import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * A small service that is built differently from the one of this repository: API keys, PUT, text ids, tags that are
 * hashes, lists that are arrays with a Link header, and 409 for a key with another body.
 */

type Texts = Readonly<Record<string, string>>;

interface Reply {
  readonly status: number;
  readonly headers?: Texts;
  readonly body?: unknown;
}
interface Note {
  readonly id: string;
  readonly title: string;
}

/** An error of the caller. */
class Refused extends Error {
  readonly reply: Reply;
  constructor(status: number, headers: Texts = {}) {
    super();
    const body = { type: 'about:blank', title: STATUS_CODES[status], status };
    this.reply = { status, headers: { ...headers, 'content-type': 'application/problem+json' }, body };
  }
}

const PATH = /^\/notebook\/notes(?:\/([^/]+))?$/;
const ACCOUNTS: Texts = { 'key-of-ada': 'ada', 'key-of-grace': 'grace' };
const SECRET = randomBytes(32);
const MOST_ROWS = 50;
const signatureOf = (id: string, account: string) =>
  createHmac('sha256', SECRET)
    .update(account + id)
    .digest('hex');

/** RFC 9110 §13.1.2: a list of tags, compared without W/. */
const matches = (tags: string, etag: string): boolean =>
  tags === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

const readJson = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  if (request.headers['content-type'] !== 'application/json') throw new Refused(415);
  try {
    return (await json(request)) as Record<string, unknown>;
  } catch {
    throw new Refused(400);
  }
};

const titleOf = ({ title }: Record<string, unknown>): string => {
  if (typeof title !== 'string') throw new Refused(422);
  return title;
};

/** The notes of one account, in the order of their creation. */
const openNotebook = (account: string) => {
  const notes = new Map<string, Note & { readonly position: number }>();
  const records = new Map<string, { readonly title: string; readonly reply: Reply }>();
  let position = 0;
  const tagOf = (note: Note) => `"${createHash('sha256').update(JSON.stringify(note)).digest('hex')}"`;
  const shown = ({ id, title }: Note): Note => ({ id, title });
  const reply = (status: number, note: Note): Reply => ({
    status,
    headers: { etag: tagOf(shown(note)), 'cache-control': 'private, max-age=0' },
    body: shown(note),
  });
  const find = (id: string, ifMatch?: string) => {
    const note = notes.get(id);
    if (!note) throw new Refused(404);
    const etag = tagOf(shown(note));
    if (ifMatch !== undefined && !matches(ifMatch, etag)) throw new Refused(412, { etag });
    return note;
  };
  return {
    get(id: string, tags: string | undefined): Reply {
      const found = reply(200, find(id));
      const isKnown = tags !== undefined && matches(tags, found.headers?.['etag'] ?? '');
      return isKnown ? { ...found, status: 304, body: undefined } : found;
    },
    post(title: string, key: string): Reply {
      const record = records.get(key);
      if (record && record.title !== title) throw new Refused(409);
      if (record) return record.reply;
      const note = { id: `n_${randomBytes(6).toString('hex')}`, title, position: ++position };
      notes.set(note.id, note);
      const created = reply(201, note);
      const stored = { ...created, headers: { ...created.headers, location: `/notebook/notes/${note.id}` } };
      if (key) records.set(key, { title, reply: stored });
      return stored;
    },
    put(id: string, title: string, tags: string | undefined): Reply {
      notes.set(id, { ...find(id, tags), title });
      return reply(200, { id, title });
    },
    delete(id: string, tags: string | undefined): Reply {
      notes.delete(find(id, tags).id);
      return { status: 204 };
    },
    list(query: URLSearchParams): Reply {
      const size = Number(query.get('size') ?? MOST_ROWS);
      if (!Number.isInteger(size) || size < 1 || size > MOST_ROWS) throw new Refused(422);
      const [start = '0', signature] = query.get('from')?.split('.') ?? [];
      if (query.has('from') && signature !== signatureOf(start, account)) throw new Refused(400);
      const rows = [...notes.values()].filter((note) => note.position > Number(start));
      const last = String(rows[size - 1]?.position);
      const from = `${last}.${signatureOf(last, account)}`;
      const link = { link: `</notebook/notes?${new URLSearchParams({ size: String(size), from })}>; rel="next"` };
      return { status: 200, headers: rows.length > size ? link : {}, body: rows.slice(0, size).map(shown) };
    },
  };
};

const notebooks = new Map(Object.values(ACCOUNTS).map((account) => [account, openNotebook(account)]));

const handle = async (request: IncomingMessage): Promise<Reply> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://notes');
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'idempotency-key': key } = request.headers;
  const [known, id] = PATH.exec(pathname) ?? [];
  if (request.method === 'OPTIONS')
    return { status: 204, headers: { 'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE' } };
  const notes = notebooks.get(ACCOUNTS[String(request.headers['x-api-key'])] ?? '');
  if (!notes) throw new Refused(401, { 'www-authenticate': 'ApiKey' });
  if (!known) throw new Refused(404);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (!id && method === 'GET') return notes.list(searchParams);
  if (!id && method === 'POST') return notes.post(titleOf(await readJson(request)), String(key ?? ''));
  if (id && method === 'GET') return notes.get(id, ifNoneMatch);
  if (id && method === 'PUT') return notes.put(id, titleOf(await readJson(request)), ifMatch);
  if (id && method === 'DELETE') return notes.delete(id, ifMatch);
  throw new Refused(405, { allow: id ? 'GET, HEAD, PUT, DELETE' : 'GET, HEAD, POST' });
};

const toReply = (error: unknown): Reply => (error instanceof Refused ? error : new Refused(500)).reply;

/** Serves the notes. */
export const notes: RequestListener = async (request, response) => {
  const { status, headers, body } = await handle(request).catch(toReply);
  response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '');
  response.setHeader('Access-Control-Expose-Headers', 'ETag, Location, Link');
  response.setHeader('Access-Control-Allow-Headers', 'X-Api-Key, Content-Type, Idempotency-Key, If-Match');
  response.setHeader('Vary', 'Origin');
  if (body !== undefined) response.setHeader('Content-Type', 'application/json');
  response.writeHead(status, { ...headers }).end(body === undefined ? undefined : JSON.stringify(body));
};
