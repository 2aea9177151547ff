import { problem, type Tickets } from '../tickets.ts';
import { after, type Fault, idOf, withBody, withHeaders } from './edits.ts';

export const existenceFaults: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(
    ['GET', 'PATCH', 'DELETE'].map((method) => [
      `403 for a ${method} of another account`,
      (tickets: Tickets) => {
        const find = tickets.find.bind(tickets);
        tickets.find = (team, id, asked) => {
          const isForeign = tickets.rows.some((row) => String(row.id) === id && row.team !== team);
          if (asked === method && isForeign) throw problem(403, 'The ticket is of another team.');
          return find(team, id, asked);
        };
      },
    ]),
  ),
  ...Object.fromEntries(
    ['GET', 'PATCH', 'DELETE'].map((method) => [
      `${method} for members of other accounts`,
      (tickets: Tickets) => {
        const find = tickets.find.bind(tickets);
        tickets.find = (team, id, asked) =>
          (asked === method ? tickets.rows.find((row) => String(row.id) === id) : undefined) ?? find(team, id, asked);
      },
    ]),
  ),
  'another detail for a member of another account': withBody((body, request) => ({
    ...body,
    detail: Number(idOf(request)) < 5000 ? 'There is no such ticket for you.' : body['detail'],
  })),
  'a header for members of other accounts': withHeaders(
    { 'x-team': 'other' },
    ({ status }, request) => status === 404 && Number(idOf(request)) < 5000,
  ),
  '412 before 404': after((response, { headers }) =>
    response.status === 404 && headers.has('if-match') ? problem(412, 'Changed.') : response,
  ),
  '304 before 404': (tickets) => {
    const read = tickets.read.bind(tickets);
    tickets.read = (team, id, request) =>
      request.headers.get('if-none-match') === '*' && tickets.rows.some((row) => String(row.id) === id)
        ? new Response(null, { status: 304 })
        : read(team, id, request);
  },
  '422 before 404 for existing members': (tickets) => {
    const change = tickets.change.bind(tickets);
    tickets.change = async (team, id, request) => {
      if (!tickets.rows.some((row) => String(row.id) === id)) throw problem(404, 'There is no such ticket.');
      return change(team, id, request);
    };
  },
  'lists of all accounts': (tickets) => {
    tickets.rowsAfter = (_team, position) => tickets.rows.toReversed().filter(({ id }) => id < position);
  },
};
