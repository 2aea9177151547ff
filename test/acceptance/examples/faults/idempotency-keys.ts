import { setTimeout as sleep } from 'node:timers/promises';
import { problem, type Ticket } from '../tickets.ts';
import { after, before, type Fault, without } from './edits.ts';

export const keyFaults: Readonly<Record<string, Fault>> = {
  'keys that are ignored': before(
    (request) => new Request(request, { headers: without(request.headers, 'idempotency-key') }),
  ),
  'a repeat that shows the current state': (tickets) => {
    const { respond } = tickets;
    tickets.respond = (status, ticket) =>
      respond.call(tickets, status, tickets.rows.find(({ id }) => id === ticket.id) ?? ticket);
  },
  'a repeat with status 200': (tickets) => {
    const shown = new Set<number>();
    const respond = tickets.respond.bind(tickets);
    tickets.respond = (status, ticket) => {
      const isRepeat = status === 201 && shown.has(ticket.id);
      shown.add(ticket.id);
      return respond(isRepeat ? 200 : status, ticket);
    };
  },
  'a body as the key': (tickets) => {
    tickets.keyOf = (_request, team, subject) => `${team} ${subject}`;
  },
  'a key of which another body creates a member': (tickets) => {
    const { keyOf } = tickets;
    tickets.keyOf = (request, team, subject) => `${keyOf.call(tickets, request, team, subject)} ${subject}`;
  },
  'a key that another body frees': (tickets) => {
    const { keyOf } = tickets;
    tickets.keyOf = (request, team, subject) => {
      const key = keyOf.call(tickets, request, team, subject);
      const former = tickets.created.get(key);
      if (former && former.subject !== subject) {
        tickets.created.delete(key);
        throw problem(422, 'The key has another body.');
      }
      return key;
    };
  },
  'a key that is looked up before a pause': before(async (request, { created }) => {
    const key = request.headers.get('idempotency-key');
    const find = () => [...created.keys()].find((one) => one.endsWith(` ${key}`));
    if (key === null || find() !== undefined) return request;
    await sleep(10);
    created.delete(find() ?? '');
    return request;
  }),
  'keys that accounts share': (tickets) => {
    const { keyOf } = tickets;
    tickets.keyOf = (request, _team, subject) => keyOf.call(tickets, request, '', subject);
  },
  'a version that each request counts': (tickets) => {
    const find = tickets.find.bind(tickets);
    tickets.find = (team, id, method) => {
      const found = find(team, id, method) as { version: number } & Ticket;
      return method === 'PATCH' ? Object.assign(found, { version: found.version + 1 }) : found;
    };
  },
  'a repeated DELETE as 204': after((response, { method }) =>
    method === 'DELETE' && response.status === 404 ? new Response(null, { status: 204 }) : response,
  ),
};
