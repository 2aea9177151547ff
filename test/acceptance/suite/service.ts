import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { type Behavior, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { Skipped } from './check.ts';
import type { TokenSource } from './tokens.ts';
import type { ReceivedResponse, SentRequest, Transport } from './transport.ts';

/** Who sends a request. Without a role and a scope, an admin of the group's account. */
export interface Caller {
  /** Default: `own`. Another name is another account; a group whose checks need an empty account names one. */
  readonly account?: string;
  readonly sub?: string;
  readonly role?: string;
  readonly scope?: string;
  /** Lifetime of the token; negative for an expired one. */
  readonly seconds?: number;
  /** Claims that override the others. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export interface Sent {
  readonly method?: string;
  /** A header that is undefined is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A string or a Buffer is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  /** `nobody` sends no token. */
  readonly as?: Caller | 'nobody';
}

export interface Answer extends ReceivedResponse {
  // biome-ignore lint/suspicious/noExplicitAny: a check reads any JSON
  readonly json: any;
}

/** The service that the checks of a group send requests to. */
export interface Service {
  send(target: string, sent?: Sent): Promise<Answer>;
  /** Sends a POST with a new Idempotency-Key. @throws Error unless the response is 2xx */
  create(path: string, body?: unknown, as?: Caller): Promise<Answer>;
  token(caller?: Caller): Promise<string>;
  /** The subject of a caller's token. A machine client has a different subject. */
  subject(caller?: Caller): Promise<string>;
  /** Prepares resources that checks only read. The first check creates them, and they last as long as the group. */
  once<T>(name: string, prepare: () => Promise<T>): Promise<T>;
  /** Starts a receiver of webhooks on this machine. @throws Skipped if the service sends nothing to this machine */
  receive(behavior: Behavior): Promise<Receiver>;
  /** Downloads a file by a URL that the service returned. */
  download(url: string): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }>;
  /** Sends the request until its response fulfils the condition, for work that workers do. */
  until(target: string, isDone: (answer: Answer) => boolean, as?: Caller): Promise<Answer>;
}

export interface Deployment {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  /** The id of an account of a group. @throws Skipped if there is none */
  accountOf(group: string, name: string): string;
  /** The permissions of the usual caller. */
  readonly permissions: Pick<Caller, 'role' | 'scope'>;
  /** Members that are deleted after their check, because they have a limit. The others are deleted after the group. */
  readonly isLimited?: (path: string) => boolean;
  /** Whether the data end with this process, so that nothing needs to be deleted. */
  readonly isTemporary?: boolean;
  /** Checks each response. @throws Error if it is wrong */
  readonly inspect?: (request: SentRequest, response: ReceivedResponse) => void;
}

/** The first pause between two polls; each one is twice as long as the one before, up to the last. */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 100;
const WORK_MS = 60_000;

const toAnswer = (response: ReceivedResponse): Answer => {
  const isJson = /json/.test(response.headers['content-type'] ?? '') && response.text !== '';
  return { ...response, json: isJson ? JSON.parse(response.text) : undefined };
};

const encode = (body: unknown): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);

/** A request without its token and body, for the report of a failed check. */
const describe = ({ method, target }: SentRequest, { status, headers }: ReceivedResponse): string =>
  `${method} ${target.slice(0, 200)}: ${status}, request ${headers['x-request-id'] ?? 'without id'}`;

export interface GroupService extends Service {
  /** The last requests, in words. */
  readonly lastRequests: () => readonly string[];
  /** Deletes the limited members of the check that has ended, and closes its receivers. */
  endCheck(): Promise<void>;
  /** Deletes what the checks have created, the newest first, as far as the service permits it. */
  endGroup(): Promise<void>;
}

/** The resources that `once` prepares last as long as the group. */
type Lifetime = 'check' | 'group';

interface Member {
  readonly path: string;
  readonly as: Caller;
}

const LAST = 5;

/** Tries to delete a member, which a busy service may refuse. */
const MAX_DELETIONS = 5;

export const serviceOf = (deployment: Deployment, group: string): GroupService => {
  const { transport, permissions, tokens, inspect, isLimited = () => false } = deployment;
  const requests: string[] = [];
  const prepared = new Map<string, Promise<unknown>>();
  const created: Record<Lifetime, Member[]> = { check: [], group: [] };
  const receivers: Record<Lifetime, Receiver[]> = { check: [], group: [] };
  let lifetime: Lifetime = 'check';

  const token = (caller: Caller = {}): Promise<string> => {
    const { account = 'own', sub = 'user_1', role, scope, ...rest } = caller;
    const asked = role === undefined && scope === undefined ? permissions : { role, scope };
    return tokens({ account: deployment.accountOf(group, account), sub, ...asked, ...rest });
  };

  const send: Service['send'] = async (target, { method = 'GET', headers = {}, body, as = {} } = {}) => {
    const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
    const all = {
      ...(isJson && { 'content-type': 'application/json' }),
      ...(as !== 'nobody' && { authorization: `Bearer ${await token(as)}` }),
      ...headers,
    };
    const named = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const request = {
      method,
      target,
      headers: Object.fromEntries(named),
      ...(body !== undefined && { body: encode(body) }),
    };
    const response = await transport(request);
    requests.push(describe(request, response));
    const answer = toAnswer(response);
    const path = method === 'POST' && response.status === 201 ? answer.headers['location'] : undefined;
    if (path && as !== 'nobody') created[isLimited(path) ? lifetime : 'group'].push({ path, as });
    inspect?.(request, response);
    return answer;
  };

  const once: Service['once'] = <T>(name: string, prepare: () => Promise<T>) => {
    const known = prepared.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const before = lifetime;
    lifetime = 'group';
    const work = prepare()
      .catch((error: unknown) => {
        prepared.delete(name);
        throw error;
      })
      .finally(() => {
        lifetime = before;
      });
    prepared.set(name, work);
    return work;
  };

  /** Only a stage that permits local addresses accepts the URL of a receiver on this machine. */
  const sendsTo = ({ url }: Receiver): Promise<boolean> =>
    once('whether the service sends to this machine', async () => {
      const body = { url, event_types: ['*'] };
      const { status } = await send('/v1/webhook-endpoints?dry_run=true', { method: 'POST', body });
      return status !== 422;
    });

  const remove = async ({ path, as }: Member): Promise<void> => {
    for (let tries = 1; tries <= MAX_DELETIONS; tries++) {
      const { status } = await send(path, { method: 'DELETE', as });
      if (status !== 503) return;
    }
  };

  const end = async (what: Lifetime): Promise<void> => {
    const members = created[what].splice(0).reverse();
    if (what === 'check' || !deployment.isTemporary) for (const member of members) await remove(member).catch(() => {});
    await Promise.all(receivers[what].splice(0).map((receiver) => receiver.close()));
  };

  return {
    send,
    token,
    subject: async (caller) => decodeJwt(await token(caller)).sub as string,
    once,
    async create(path, body, as = {}) {
      const headers = { 'idempotency-key': randomUUID() };
      const answer = await send(path, { method: 'POST', headers, as, ...(body !== undefined && { body }) });
      if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
      return answer;
    },
    async receive(behavior) {
      const receiver = await startReceiver(behavior);
      receivers[lifetime].push(receiver);
      if (!(await sendsTo(receiver))) throw new Skipped('the service sends nothing to this machine');
      return receiver;
    },
    async download(url) {
      const response = await fetch(url);
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    },
    async until(target, isDone, as = {}) {
      const end = Date.now() + WORK_MS;
      for (let pause = FIRST_POLL_MS; ; pause = Math.min(2 * pause, LAST_POLL_MS)) {
        const answer = await send(target, { as });
        if (isDone(answer)) return answer;
        if (Date.now() > end)
          throw new Error(`${target} is not as expected after ${WORK_MS} ms: ${answer.text.slice(0, 500)}`);
        await sleep(pause);
      }
    },
    lastRequests: () => requests.slice(-LAST),
    endCheck: () => end('check'),
    endGroup: () => end('group'),
  };
};
