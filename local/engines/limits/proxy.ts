import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { freeAddress } from '#local/cli/free-address.ts';
import type { DynamoEngine } from '#local/engines/engine.ts';
import type { Request } from './actions.ts';
import type { Call } from './call.ts';
import type { Limiter } from './limiter.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.0';
const API = 'DynamoDB_20120810.';

/**
 * Opens an address that answers like the engine, but within limits. Like dynoxide, it checks no
 * signature, and listens at an address that nobody can guess.
 */
export const limitDynamo = async (engine: DynamoEngine, limiter: Limiter): Promise<DynamoEngine> => {
  const agent = new Agent({ keepAlive: true });
  const send = createSender(engine.endpoint, agent);
  const server = createServer(async (received, response) => {
    try {
      const { status, body } = await answer(limiter, send, received.headers, await buffer(received));
      response.writeHead(status, { 'content-type': CONTENT_TYPE, 'content-length': body.length }).end(body);
    } catch {
      response.destroy();
    }
  });
  const { host, port } = await freeAddress();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    ...engine,
    endpoint: `http://${host}:${port}`,
    stop: () => {
      server.close();
      server.closeIdleConnections();
      agent.destroy();
      return engine.stop();
    },
  };
};

interface Received {
  readonly status: number;
  readonly body: Buffer;
}

type Send = (headers: IncomingHttpHeaders, body: Buffer) => Promise<Received>;

const createSender =
  (endpoint: string, agent: Agent): Send =>
  async (headers, body) => {
    const options = { agent, method: 'POST', headers: { ...headers, 'content-length': String(body.length) } };
    const sent = request(endpoint, options);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject).end(body);
    });
    return { status: response.statusCode as number, body: await buffer(response) };
  };

const answer = async (limiter: Limiter, send: Send, headers: IncomingHttpHeaders, body: Buffer): Promise<Received> => {
  const target = String(headers['x-amz-target']);
  if (!target.startsWith(API)) return send(headers, body);
  // The engines read only the access key of a signature, so the limiter's own calls can have that of the client.
  const call: Call = async (operation, input) => {
    const reply = await send({ ...headers, 'x-amz-target': API + operation }, Buffer.from(JSON.stringify(input)));
    return { status: reply.status, body: JSON.parse(reply.body.toString()) };
  };
  const reply = await limiter.answer(target.slice(API.length), JSON.parse(body.toString()) as Request, call);
  return { status: reply.status, body: Buffer.from(JSON.stringify(reply.body)) };
};
