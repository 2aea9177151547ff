import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** Lambda's Runtime API, as seen from Lambda's side. */
export interface RuntimeApi {
  /** The host and port for `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /**
   * Has the runtime handle an event; returns the handler's result.
   * @param milliseconds the remaining time that the runtime is given
   * @throws Error that the runtime reports
   */
  invoke(event: unknown, milliseconds: number): Promise<unknown>;
  /** Fails every pending and every later event, because the runtime has ended. */
  end(error: Error): void;
  close(): void;
}

interface Invocation {
  readonly id: string;
  readonly event: string;
  readonly deadline: number;
  readonly outcome: PromiseWithResolvers<unknown>;
}

const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:deployed-artifact';

const headersOf = ({ id, deadline }: Invocation): Record<string, string> => ({
  'content-type': 'application/json',
  'lambda-runtime-aws-request-id': id,
  'lambda-runtime-deadline-ms': String(deadline),
  'lambda-runtime-invoked-function-arn': ARN,
  'lambda-runtime-trace-id': `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomUUID().replaceAll('-', '').slice(0, 24)};Sampled=0`,
});

/** The error that a runtime has posted. */
const reported = (json: string): Error => {
  const { errorType, errorMessage } = JSON.parse(json);
  return new Error(`${errorType}: ${errorMessage}`);
};

/** Serves the Runtime API of one function instance on the loopback: one event at a time. */
export const startRuntimeApi = async (): Promise<RuntimeApi> => {
  const pending: Invocation[] = [];
  const inProgress = new Map<string, Invocation>();
  let idle: ServerResponse | undefined;
  let ended: Error | undefined;

  const dispatch = () => {
    const invocation = idle && pending.shift();
    if (!idle || !invocation) return;
    inProgress.set(invocation.id, invocation);
    idle.writeHead(200, headersOf(invocation)).end(invocation.event);
    idle = undefined;
  };
  const end = (error: Error) => {
    ended ??= error;
    for (const { outcome } of [...pending.splice(0), ...inProgress.values()]) outcome.reject(ended);
  };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const [, , , what, id = '', kind] = request.url?.split('/') ?? [];
    if (id === 'next') {
      idle = response;
      return dispatch();
    }
    const body = await text(request);
    if (what === 'init') end(reported(body));
    else if (kind === 'response') inProgress.get(id)?.outcome.resolve(JSON.parse(body));
    else inProgress.get(id)?.outcome.reject(reported(body));
    inProgress.delete(id);
    response.writeHead(202).end('{"status":"OK"}');
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };

  const invoke: RuntimeApi['invoke'] = (event, milliseconds) => {
    const outcome = Promise.withResolvers<unknown>();
    if (ended) return Promise.reject(ended);
    pending.push({ id: randomUUID(), event: JSON.stringify(event), deadline: Date.now() + milliseconds, outcome });
    dispatch();
    return outcome.promise;
  };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `127.0.0.1:${port}`, invoke, end, close };
};
