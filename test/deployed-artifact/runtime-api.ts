import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** What the runtime of one function says of itself that Lambda would see. */
export interface RuntimeApi {
  /** The host and port for `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /**
   * Has the runtime handle an event, and answers what the handler returned.
   * @param milliseconds how long the runtime is told that it has
   * @throws Error with what the runtime reports in its place
   */
  invoke(event: unknown, milliseconds: number): Promise<unknown>;
  /** Fails every event that waits, and each to come: the runtime has ended. */
  end(error: Error): void;
  close(): void;
}

interface Invocation {
  readonly id: string;
  readonly event: string;
  readonly deadline: number;
  readonly outcome: PromiseWithResolvers<unknown>;
}

const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:artefact';

const headersOf = ({ id, deadline }: Invocation): Record<string, string> => ({
  'content-type': 'application/json',
  'lambda-runtime-aws-request-id': id,
  'lambda-runtime-deadline-ms': String(deadline),
  'lambda-runtime-invoked-function-arn': ARN,
  'lambda-runtime-trace-id': `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomUUID().replaceAll('-', '').slice(0, 24)};Sampled=0`,
});

/** What a runtime posts of an error, as one. */
const reported = (json: string): Error => {
  const { errorType, errorMessage } = JSON.parse(json);
  return new Error(`${errorType}: ${errorMessage}`);
};

/** Lambda's Runtime API for one function, on the loopback: one event at a time, as one instance of a function has. */
export const startRuntimeApi = async (): Promise<RuntimeApi> => {
  const waiting: Invocation[] = [];
  const taken = new Map<string, Invocation>();
  let idle: ServerResponse | undefined;
  let ended: Error | undefined;

  const hand = () => {
    const invocation = idle && waiting.shift();
    if (!idle || !invocation) return;
    taken.set(invocation.id, invocation);
    idle.writeHead(200, headersOf(invocation)).end(invocation.event);
    idle = undefined;
  };
  const end = (error: Error) => {
    ended ??= error;
    for (const { outcome } of [...waiting.splice(0), ...taken.values()]) outcome.reject(ended);
  };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const [, , , what, id = '', kind] = request.url?.split('/') ?? [];
    if (id === 'next') {
      idle = response;
      return hand();
    }
    const body = await text(request);
    if (what === 'init') end(reported(body));
    else if (kind === 'response') taken.get(id)?.outcome.resolve(JSON.parse(body));
    else taken.get(id)?.outcome.reject(reported(body));
    taken.delete(id);
    response.writeHead(202).end('{"status":"OK"}');
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };

  const invoke: RuntimeApi['invoke'] = (event, milliseconds) => {
    const outcome = Promise.withResolvers<unknown>();
    if (ended) return Promise.reject(ended);
    waiting.push({ id: randomUUID(), event: JSON.stringify(event), deadline: Date.now() + milliseconds, outcome });
    hand();
    return outcome.promise;
  };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `127.0.0.1:${port}`, invoke, end, close };
};
