import { createHmac } from 'node:crypto';

/**
 * A small service of Request and Response: integer ids, PATCH, weak ETags that are version counters, lists with the
 * newest row first, and no Location. The files in faults/ replace methods by wrong ones.
 */

export interface Ticket {
  readonly id: number;
  readonly team: string;
  readonly subject: string;
  readonly version: number;
}

const TEAMS: Readonly<Record<string, string>> = { 'Bearer of-sales': 'sales', 'Bearer of-support': 'support' };

/** A response that ends the request early. */
export const problem = (status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json(
    { type: `https://tickets.example/problems/${status}`, title: `Problem ${status}`, status, detail },
    { status, headers: { ...headers, 'content-type': 'application/problem+json' } },
  );

const show = ({ id, subject }: Ticket) => ({ ticket_no: id, subject });

export class Tickets {
  rows: Ticket[] = [];
  /** The tickets that requests with a key created, as they were then. */
  created = new Map<string, Ticket>();
  lastId = 1000;

  teamOf(request: Request): string | undefined {
    return TEAMS[request.headers.get('authorization') ?? ''];
  }
  rowsOf(team: string): Ticket[] {
    return this.rows.filter((row) => row.team === team).toReversed();
  }
  find(team: string, id: string, _method: string): Ticket {
    const found = this.rowsOf(team).find((row) => String(row.id) === id);
    if (!found) throw problem(404, 'There is no such ticket.');
    return found;
  }
  etagOf({ id, version }: Ticket): string {
    return `W/"${id}-${version}"`;
  }
  matches(tags: string, ticket: Ticket): boolean {
    const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
    return tags === '*' || tags.split(',').some((tag) => opaque(tag) === opaque(this.etagOf(ticket)));
  }
  checkIfMatch({ headers }: Request, ticket: Ticket): void {
    const tags = headers.get('if-match');
    if (tags === null || this.matches(tags, ticket)) return;
    throw problem(412, 'The ticket has changed.', { etag: this.etagOf(ticket) });
  }
  async subjectIn(request: Request): Promise<string> {
    if (request.headers.get('content-type') !== 'application/json') throw problem(415, 'The body is not JSON.');
    const { subject } = await (request.json() as Promise<{ subject: unknown }>).catch(() => {
      throw problem(400, 'The body is not JSON.');
    });
    if (typeof subject !== 'string') throw problem(422, 'The subject is not a text.');
    return subject;
  }
  respond(status: number, ticket: Ticket): Response {
    return Response.json(show(ticket), { status, headers: { etag: this.etagOf(ticket), 'cache-control': 'private' } });
  }
  seal(team: string, position: number): string {
    return `${position}-${createHmac('sha256', 'secret').update(`${team} ${position}`).digest('hex')}`;
  }
  open(team: string, cursor: string): number {
    const position = Number.parseInt(cursor, 10);
    if (cursor !== this.seal(team, position)) throw problem(400, 'The cursor is not one of this list.');
    return position;
  }
  countIn(query: URLSearchParams): number {
    const count = Number(query.get('count') ?? 100);
    if (Number.isInteger(count) && count > 0 && count <= 100) return count;
    throw problem(422, 'The count is not between 1 and 100.');
  }
  /** The rows after a position: an id, because it stays when other rows are deleted. */
  rowsAfter(team: string, position: number): Ticket[] {
    return this.rowsOf(team).filter(({ id }) => id < position);
  }
  list(team: string, query: URLSearchParams): Response {
    const [count, cursor] = [this.countIn(query), query.get('cursor')];
    const start = cursor === null ? Number.POSITIVE_INFINITY : this.open(team, cursor);
    const rows = this.rowsAfter(team, start);
    const page = rows.slice(0, count);
    const next = rows.length > count ? this.seal(team, page.at(-1)?.id ?? 0) : null;
    return Response.json({ items: page.map(show), next, more: next !== null });
  }
  keyOf(request: Request, team: string, _subject: string): string {
    return `${team} ${request.headers.get('idempotency-key') ?? crypto.randomUUID()}`;
  }
  async create(team: string, request: Request): Promise<Response> {
    const subject = await this.subjectIn(request);
    const key = this.keyOf(request, team, subject);
    const former = this.created.get(key);
    if (former && former.subject !== subject) throw problem(422, 'The key has another body.');
    const ticket = former ?? { id: ++this.lastId, team, subject, version: 1 };
    if (!former) this.rows.push(ticket);
    this.created.set(key, ticket);
    return this.respond(201, ticket);
  }
  async change(team: string, id: string, request: Request): Promise<Response> {
    const subject = await this.subjectIn(request);
    const ticket = this.find(team, id, 'PATCH');
    this.checkIfMatch(request, ticket);
    const changed = subject === ticket.subject ? ticket : { ...ticket, subject, version: ticket.version + 1 };
    this.rows = this.rows.map((row) => (row === ticket ? changed : row));
    return this.respond(200, changed);
  }
  read(team: string, id: string, { headers }: Request): Response {
    const [ticket, tags] = [this.find(team, id, 'GET'), headers.get('if-none-match')];
    const response = this.respond(200, ticket);
    if (tags === null || !this.matches(tags, ticket)) return response;
    return new Response(null, { status: 304, headers: response.headers });
  }
  remove(team: string, id: string, request: Request): Response {
    const ticket = this.find(team, id, 'DELETE');
    this.checkIfMatch(request, ticket);
    this.rows = this.rows.filter((row) => row !== ticket);
    return new Response(null, { status: 204 });
  }
  async route(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [known, id] = /^\/tickets(?:\/([^/]+))?$/.exec(pathname) ?? [];
    const team = this.teamOf(request);
    if (team === undefined) throw problem(401, 'The token is unknown.', { 'www-authenticate': 'Bearer' });
    if (known === undefined) throw problem(404, 'There is no such path.');
    const method = request.method.replace('HEAD', 'GET');
    if (id === undefined && method === 'GET') return this.list(team, searchParams);
    if (id === undefined && method === 'POST') return this.create(team, request);
    if (id !== undefined && method === 'GET') return this.read(team, id, request);
    if (id !== undefined && method === 'PATCH') return this.change(team, id, request);
    if (id !== undefined && method === 'DELETE') return this.remove(team, id, request);
    throw problem(405, 'There is no such method.', { allow: id ? 'GET, PATCH, DELETE' : 'GET, POST' });
  }
  async handle(request: Request): Promise<Response> {
    const isPreflight = request.method === 'OPTIONS';
    const answered = isPreflight ? Promise.resolve(new Response(null, { status: 204 })) : this.route(request);
    const response = await answered.catch((error) => (error instanceof Response ? error : problem(500, 'A fault.')));
    const { headers } = response;
    headers.set('access-control-allow-origin', '*');
    headers.set('access-control-expose-headers', 'ETag');
    if (isPreflight) headers.set('access-control-allow-methods', 'GET, HEAD, POST, PATCH, DELETE');
    if (isPreflight)
      headers.set('access-control-allow-headers', 'Authorization, Content-Type, Idempotency-Key, If-Match');
    return response;
  }
}
