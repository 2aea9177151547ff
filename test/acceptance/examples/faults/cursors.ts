import { problem, type Tickets } from '../tickets.ts';
import { type Fault, withBody } from './edits.ts';

export const cursorFaults: Readonly<Record<string, Fault>> = {
  'a page with one row more': (tickets) => {
    const countIn = tickets.countIn.bind(tickets);
    tickets.countIn = (query) => countIn(query) + 1;
  },
  'any limit': (tickets) => {
    tickets.countIn = (query) => Math.max(1, Math.trunc(Number(query.get('count') ?? 100)) || 100);
  },
  'pages that repeat a row': (tickets) => {
    tickets.rowsAfter = (team, position) => tickets.rowsOf(team).filter(({ id }) => id < position + 1);
  },
  'more that is always true': withBody(
    (body) => ({ ...body, more: true }),
    ({ status, headers }) => status === 200 && !headers.has('etag'),
  ),
  'an offset in the cursor': (tickets) => {
    const { open } = tickets;
    const seal = tickets.seal.bind(tickets);
    tickets.seal = (team, id) => seal(team, tickets.rowsOf(team).findIndex((row) => row.id === id) + 1);
    tickets.open = (team, cursor) => open.call({ seal } as Tickets, team, cursor);
    tickets.rowsAfter = (team, position) => tickets.rowsOf(team).slice(Number.isFinite(position) ? position : 0);
  },
  'a cursor that needs its row': (tickets) => {
    tickets.rowsAfter = (team, position) => {
      const rows = tickets.rowsOf(team);
      if (!Number.isFinite(position)) return rows;
      const at = rows.findIndex(({ id }) => id === position);
      return at === -1 ? [] : rows.slice(at + 1);
    };
  },
  'cursors without a signature': (tickets) => {
    tickets.open = (_team, cursor) => Number.parseInt(cursor, 10) || 0;
  },
  'cursors that contain the account': (tickets) => {
    const { rowsAfter } = tickets;
    const seal = tickets.seal.bind(tickets);
    let reader = '';
    tickets.open = (_team, cursor) => {
      const position = Number.parseInt(cursor, 10);
      reader = ['sales', 'support'].find((one) => cursor === seal(one, position)) ?? '';
      if (!reader) throw problem(400, 'The cursor is not one of this list.');
      return position;
    };
    tickets.rowsAfter = (team, position) => {
      const rows = rowsAfter.call(tickets, reader || team, position);
      reader = '';
      return rows;
    };
  },
};
