import { after, before, type Fault, withBody, withHeaders, withoutHeader, withStatus } from './edits.ts';

export const problemFaults: Readonly<Record<string, Fault>> = {
  'problems without a type': withBody(
    ({ type, ...rest }) => rest,
    ({ status }) => status === 404,
  ),
  'a problem whose status is a text': withBody(
    (body) => ({ ...body, status: String(body['status']) }),
    ({ status }) => status === 415,
  ),
  'problems as application/json': withHeaders({ 'content-type': 'application/json' }, ({ status }) => status === 412),
  'unknown paths as text': after((response, { url }) =>
    new URL(url).pathname.startsWith('/tickets') ? response : new Response('Not Found', { status: 404 }),
  ),
  'malformed JSON as 500': after((response) => (response.status === 400 ? withStatus(500, response) : response)),
  'creations without validation': (tickets) => {
    const { subjectIn } = tickets;
    tickets.subjectIn = async (request) =>
      request.method === 'POST' && (await request.clone().text()).includes('null') ? 'x' : subjectIn(request);
  },
  'changes without validation': (tickets) => {
    const { subjectIn } = tickets;
    tickets.subjectIn = async (request) =>
      request.method === 'PATCH' && (await request.clone().text()).includes('null') ? 'x' : subjectIn(request);
  },
  'any media type': before((request) => {
    const headers = new Headers(request.headers);
    if (headers.has('content-type')) headers.set('content-type', 'application/json');
    return new Request(request, { headers });
  }),
  '405 without Allow': withoutHeader('allow'),
  'a title with the path': withBody((body, { url }) => ({
    ...body,
    title: `${body['title']} ${new URL(url).pathname}`,
  })),
  'a stack in problems': withBody(
    (body) => ({ ...body, detail: new Error('x').stack }),
    ({ status }) => status === 400,
  ),
};
