import type { Tickets } from '../tickets.ts';

/** Makes the service wrong in one way. */
export type Fault = (tickets: Tickets) => void;

type Edit = (response: Response, request: Request) => Response | Promise<Response>;

/** Replaces responses. */
export const after =
  (edit: Edit): Fault =>
  (tickets) => {
    const handle = tickets.handle.bind(tickets);
    tickets.handle = async (request) => edit(await handle(request.clone()), request);
  };

/** Replaces requests before the service reads them. */
export const before =
  (edit: (request: Request, tickets: Tickets) => Request | Promise<Request>): Fault =>
  (tickets) => {
    const handle = tickets.handle.bind(tickets);
    tickets.handle = async (request) => handle(await edit(request, tickets));
  };

export const without = (source: Headers, ...names: readonly string[]): Headers => {
  const headers = new Headers(source);
  for (const name of names) headers.delete(name);
  return headers;
};

export const withoutHeader = (name: string, applies: (response: Response, request: Request) => boolean = () => true) =>
  after((response, request) =>
    applies(response, request)
      ? new Response(response.body, { status: response.status, headers: without(response.headers, name) })
      : response,
  );

export const withHeaders = (
  added: Record<string, string>,
  applies: (response: Response, request: Request) => boolean,
) =>
  after((response, request) => {
    if (applies(response, request))
      for (const [name, value] of Object.entries(added)) response.headers.set(name, value);
    return response;
  });

export const withBody = (
  edit: (body: Record<string, unknown>, request: Request) => Record<string, unknown>,
  applies: (response: Response) => boolean = ({ status }) => status >= 400,
) =>
  after(async (response, request) => {
    if (!applies(response)) return response;
    const { status, headers } = response;
    return new Response(JSON.stringify(edit((await response.json()) as never, request)), { status, headers });
  });

export const isUnauthenticated = ({ headers }: Request) => !headers.get('authorization')?.startsWith('Bearer of-');
export const asSales = (request: Request) => {
  const headers = new Headers(request.headers);
  headers.set('authorization', 'Bearer of-sales');
  return new Request(request, { headers });
};
export const idOf = ({ url }: Request): string => new URL(url).pathname.split('/')[2] ?? '';
export const isOf = (method: string) => (request: Request) => request.method === method;
export const asMethod = (method: string) => (_: Response, request: Request) => request.method === method;
export const withStatus = (status: number, response: Response): Response =>
  new Response(response.body, { status, headers: response.headers });
