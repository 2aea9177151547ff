import { problem } from '../tickets.ts';
import { asSales, before, type Fault, idOf, isOf, isUnauthenticated, withoutHeader } from './edits.ts';

export const authenticationFaults: Readonly<Record<string, Fault>> = {
  'no WWW-Authenticate': withoutHeader('www-authenticate'),
  'creations without a token': before((request) =>
    isOf('POST')(request) && isUnauthenticated(request) ? asSales(request) : request,
  ),
  'changes without a token': before((request) =>
    isOf('PATCH')(request) && isUnauthenticated(request) ? asSales(request) : request,
  ),
  'deletions without a token': before((request) =>
    isOf('DELETE')(request) && isUnauthenticated(request) ? asSales(request) : request,
  ),
  'reads without a token': before((request) =>
    isOf('GET')(request) && !request.headers.has('authorization') ? asSales(request) : request,
  ),
  'tokens of which only the beginning counts': (tickets) => {
    tickets.teamOf = ({ headers }) => (headers.get('authorization')?.startsWith('Bearer of-s') ? 'sales' : undefined);
  },
  'any scheme': before((request) =>
    /^\w+ Bearer of-sales$/.test(request.headers.get('authorization') ?? '') ? asSales(request) : request,
  ),
  '404 before 401': (tickets) => {
    const route = tickets.route.bind(tickets);
    tickets.route = async (request) => {
      if (idOf(request) === '999999') throw problem(404, 'There is no such ticket.');
      return route(request);
    };
  },
};
