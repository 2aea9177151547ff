import { setTimeout as sleep } from 'node:timers/promises';
import { problem } from '../tickets.ts';
import { before, type Fault, idOf, isOf, without, withoutHeader } from './edits.ts';

export const conditionalFaults: Readonly<Record<string, Fault>> = {
  'an ETag that differs at each read': (tickets) => {
    let count = 0;
    tickets.etagOf = () => `"${++count}"`;
  },
  'an ETag that does not change': (tickets) => {
    tickets.etagOf = ({ id }) => `"${id}"`;
  },
  '304 without Cache-Control': withoutHeader('cache-control', ({ status }) => status === 304),
  'If-None-Match that is compared as a text': (tickets) => {
    tickets.matches = (tags, ticket) => tags === tickets.etagOf(ticket);
  },
  'any If-None-Match as a match': (tickets) => {
    tickets.read = (team, id, { headers }) => {
      const response = tickets.respond(200, tickets.find(team, id, 'GET'));
      return headers.has('if-none-match') ? new Response(null, { status: 304, headers: response.headers }) : response;
    };
  },
  'a stale If-Match accepted': (tickets) => {
    tickets.checkIfMatch = () => {};
  },
  '412 without the ETag': withoutHeader('etag', ({ status }) => status === 412),
  'any If-Match refused': (tickets) => {
    tickets.checkIfMatch = ({ headers }, ticket) => {
      if (headers.has('if-match')) throw problem(412, 'Changed.', { etag: tickets.etagOf(ticket) });
    };
  },
  'If-Match that is checked before a pause': before(async (request, tickets) => {
    const ticket = tickets.rows.find(({ id }) => String(id) === idOf(request));
    const tags = request.headers.get('if-match');
    if (request.method !== 'PATCH' || !ticket || tags === null || !tickets.matches(tags, ticket)) return request;
    await sleep(50);
    return new Request(request, { headers: without(request.headers, 'if-match') });
  }),
  'DELETE that ignores If-Match': before((request) =>
    isOf('DELETE')(request) ? new Request(request, { headers: without(request.headers, 'if-match') }) : request,
  ),
};
