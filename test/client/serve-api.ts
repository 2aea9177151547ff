import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, type ClientOptions, createClient, type Version } from '#client/source/index.ts';
import { openGateway } from '#local/gateway/gateway.ts';
import type { Caller } from '#test/support/service/client.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';

/** A request that a client’s fetch sent. */
export interface Call {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly init: RequestInit;
}

/** The fault of one request: it is not sent, its response is lost, or its response is replaced. */
export type Fault = 'never-sent' | 'lost-response' | Response;

/** Chooses the fault of a request, also by the number of requests before it. */
export type Plan = (call: Call, before: number) => Fault | Promise<Fault | undefined> | undefined;

export interface Wire {
  readonly fetch: typeof fetch;
  readonly calls: readonly Call[];
  /** The calls whose response has arrived. */
  readonly answered: readonly Call[];
  /** Replaces the plan and clears the calls. */
  plan(plan?: Plan): void;
}

/** A fetch that records its calls and injects the planned faults. */
export const wire = (): Wire => {
  let current: Plan = () => undefined;
  const calls: Call[] = [];
  const answered: Call[] = [];
  const faulty = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const call = {
      method: init.method ?? 'GET',
      path: url.pathname + url.search,
      headers: new Headers(init.headers),
      init,
    };
    calls.push(call);
    const fault = await current(call, calls.length - 1);
    if (fault instanceof Response) return fault;
    if (fault === 'never-sent') throw new TypeError('fetch failed');
    const answer = await fetch(input, init);
    answered.push(call);
    if (fault !== 'lost-response') return answer;
    await answer.text();
    throw new TypeError('fetch failed');
  };
  return {
    fetch: faulty as typeof fetch,
    calls,
    answered,
    plan: (plan = () => undefined) => {
      current = plan;
      calls.length = 0;
      answered.length = 0;
    },
  };
};

/** The API, served over HTTP, and clients of it. */
export interface Served {
  readonly service: LocalService;
  readonly url: string;
  readonly wire: Wire;
  client<const V extends Version = 'v1'>(options?: Partial<ClientOptions<V>>, as?: Caller): Client<V>;
  stop(): Promise<void>;
}

export const serveApi = async (): Promise<Served> => {
  const service = await startService();
  const gateway = await openGateway(0, service.handle);
  const faulty = wire();
  return {
    service,
    url: gateway.url,
    wire: faulty,
    client: (options, caller) =>
      createClient({ baseUrl: gateway.url, token: () => service.token(caller), fetch: faulty.fetch, ...options }),
    stop: async () => {
      await gateway.close(0);
      await service.stop();
    },
  };
};

/** Starts an HTTP server on the loopback address. */
export const startHttpServer = async (answer: RequestListener): Promise<{ server: Server; url: string }> => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** A problem response of the service. */
export const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  Response.json(
    { type: `/problems/${code}`, title: code, status, detail: code, code, request_id: 'r' },
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  );
