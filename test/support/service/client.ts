import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { type Behavior, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import type { Sent as SentWithoutCaller } from './event.ts';
import type { TokenSource } from './tokens.ts';
import {
  type Answer,
  compareWithDocument,
  ownHeaders,
  type ReceivedResponse,
  type SentRequest,
  type Transport,
  toAnswer,
} from './transport.ts';

/** Who sends a request. Without a role and a scope, an admin of the file's account. */
export interface Caller {
  /** Default: `own`. Another name is another account. */
  readonly account?: string;
  readonly sub?: string;
  readonly role?: string;
  readonly scope?: string;
  /** Lifetime of the token; negative for an expired one. */
  readonly seconds?: number;
  /** Claims that override the others. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface Sent extends SentWithoutCaller {
  /** `nobody` sends no token. */
  readonly as?: Caller | 'nobody';
}

export type { Answer };

/** The service that the tests of a file send requests to. */
export interface Service {
  send(target: string, sent?: Sent): Promise<Answer>;
  /** Sends a POST with a new Idempotency-Key. @throws Error unless the response is 2xx */
  create(path: string, body?: unknown, as?: Caller): Promise<Answer>;
  token(caller?: Caller): Promise<string>;
  /** The subject of a caller's token. A machine client has a different subject. */
  subject(caller?: Caller): Promise<string>;
  /** Prepares resources that tests only read. The first test creates them, and the file deletes them. */
  once<T>(name: string, prepare: () => Promise<T>): Promise<T>;
  /** Starts a receiver of webhooks on this machine, for a test with the capability `receiver`. */
  receive(behavior: Behavior): Promise<Receiver>;
  /** Downloads a file by a URL that the service returned. */
  download(url: string): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }>;
  /** Sends the request until its response fulfils the condition, for work that workers do. */
  until(target: string, isDone: (answer: Answer) => boolean, as?: Caller): Promise<Answer>;
}

/** Where the requests of a test file go. */
export interface Deployment {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  /** The id of an account of the test file. */
  accountOf(name: string): string;
  /** The permissions of the usual caller. */
  readonly permissions: Pick<Caller, 'role' | 'scope'>;
  /** Whether the data end with this process, so that nothing needs to be deleted. */
  readonly isTemporary: boolean;
  stop(): Promise<void>;
}

/** The first pause between two polls; each one is twice as long as the one before, up to the last. */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 100;
const WORK_MS = 60_000;

const encode = (body: unknown): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);

/** A request without its token and body, for the message of a failed test. */
const summarize = ({ method, target }: SentRequest, { status, headers }: ReceivedResponse): string =>
  `${method} ${target.slice(0, 200)}: ${status}, request ${headers['x-request-id'] ?? 'without id'}`;

/** How long a resource lasts: an account has at most 20 webhook endpoints, and each delivers the events of later tests. */
type Lifetime = 'test' | 'file';

interface Member {
  readonly path: string;
  readonly as: Caller;
}

/** Tries to delete a member, which a busy service may refuse. */
const MAX_DELETIONS = 5;

/** The resources and receivers of a test file, and when they end. */
const createCleaner = (send: Service['send'], isTemporary: boolean) => {
  const members: Record<Lifetime, Member[]> = { test: [], file: [] };
  const receivers: Record<Lifetime, Receiver[]> = { test: [], file: [] };
  let lifetime: Lifetime = 'test';

  const remove = async ({ path, as }: Member): Promise<void> => {
    for (let tries = 1; tries <= MAX_DELETIONS; tries++) {
      const { status } = await send(path, { method: 'DELETE', as });
      if (status !== 503) return;
    }
  };
  /** Deletes the newest first, as far as the service permits it. */
  const end = async (what: Lifetime): Promise<void> => {
    const created = members[what].splice(0).reverse();
    if (what === 'test' || !isTemporary) for (const member of created) await remove(member).catch(() => {});
    await Promise.all(receivers[what].splice(0).map((receiver) => receiver.close()));
  };
  return {
    add: (member: Member) => members[member.path.includes('/webhook-endpoints/') ? lifetime : 'file'].push(member),
    addReceiver: (receiver: Receiver) => receivers[lifetime].push(receiver),
    /** What this work creates lasts as long as the file. */
    async untilFileEnds<T>(work: () => Promise<T>): Promise<T> {
      const before = lifetime;
      lifetime = 'file';
      return work().finally(() => {
        lifetime = before;
      });
    },
    endTest: () => end('test'),
    endFile: () => end('file'),
  };
};

/** Waits for work that workers do. */
const waitFor =
  (send: Service['send']): Service['until'] =>
  async (target, isDone, as = {}) => {
    const end = Date.now() + WORK_MS;
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(2 * pause, LAST_POLL_MS)) {
      const answer = await send(target, { as });
      if (isDone(answer)) return answer;
      if (Date.now() > end)
        throw new Error(`${target} is not as expected after ${WORK_MS} ms: ${answer.text.slice(0, 500)}`);
      await sleep(pause);
    }
  };

/** The requests that the message of a failed test names. */
const LAST = 5;

/**
 * The service of a test file, and what ends its tests.
 * @param isDocumented whether each response is compared with docs/openapi.json
 */
export const openClient = (deployment: Deployment, isDocumented: boolean) => {
  const { transport, tokens, accountOf, permissions, isTemporary } = deployment;
  const requests: string[] = [];
  const prepared = new Map<string, Promise<unknown>>();

  const token = (caller: Caller = {}): Promise<string> => {
    const { account = 'own', sub = 'user_1', role, scope, ...rest } = caller;
    const asked = role === undefined && scope === undefined ? permissions : { role, scope };
    return tokens({ account: accountOf(account), sub, ...asked, ...rest });
  };

  const send: Service['send'] = async (target, { method = 'GET', headers = {}, body, as = {} } = {}) => {
    const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
    const all = {
      ...(isJson && { 'content-type': 'application/json' }),
      ...(as !== 'nobody' && { authorization: `Bearer ${await token(as)}` }),
      ...headers,
    };
    const named = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const request = { method, target, headers: named, ...(body !== undefined && { body: encode(body) }) };
    const response = await transport(request);
    requests.push(summarize(request, response));
    const path = method === 'POST' && response.status === 201 ? response.headers['location'] : undefined;
    if (path && as !== 'nobody') cleaner.add({ path, as });
    if (isDocumented) await compareWithDocument(request, { ...response, headers: ownHeaders(response) });
    return toAnswer(response);
  };
  const cleaner = createCleaner(send, isTemporary);

  const service: Service = {
    send,
    token,
    subject: async (caller) => decodeJwt(await token(caller)).sub as string,
    async once<T>(name: string, prepare: () => Promise<T>) {
      const known = prepared.get(name) as Promise<T> | undefined;
      const work = known ?? cleaner.untilFileEnds(prepare);
      prepared.set(name, work);
      return work.catch((error: unknown) => {
        prepared.delete(name);
        throw error;
      });
    },
    async create(path, body, as = {}) {
      const headers = { 'idempotency-key': randomUUID() };
      const answer = await send(path, { method: 'POST', headers, as, ...(body !== undefined && { body }) });
      if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
      return answer;
    },
    async receive(behavior) {
      const receiver = await startReceiver(behavior);
      cleaner.addReceiver(receiver);
      return receiver;
    },
    async download(url) {
      const response = await fetch(url);
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    },
    until: waitFor(send),
  };
  return { service, lastRequests: () => requests.slice(-LAST), endTest: cleaner.endTest, endFile: cleaner.endFile };
};
