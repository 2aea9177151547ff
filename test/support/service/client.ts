import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import type { TokenRequest, TokenSource } from './tokens.ts';
import {
  type Answer,
  compareWithDocument,
  ownHeaders,
  type RequestParts,
  type SentRequest,
  type Transport,
  toAnswer,
  toSentRequest,
} from './transport.ts';

/** Who sends a request. By default `user_1` of the usual account; without a role and a scope, an admin. */
export type Caller = Partial<TokenRequest>;

export interface Sent extends RequestParts {
  /** `nobody` sends no token. */
  readonly as?: Caller | 'nobody';
  /** The remaining time of the function, in milliseconds. Only a service in this process can set it. */
  readonly remaining?: number;
}

/** A request and the caller that sends it. */
export interface Call {
  readonly target: string;
  readonly sent: Sent;
}

export type { Answer };

/** Sends requests to the service. */
export interface Client {
  send(target: string, sent?: Sent): Promise<Answer>;
  /** Sends a POST with a new Idempotency-Key. @throws Error unless the response is 2xx */
  create(path: string, body?: unknown, as?: Caller): Promise<Answer>;
  token(caller?: Caller): Promise<string>;
  /** The subject of a caller's token. A machine client has a different subject. */
  subject(caller?: Caller): Promise<string>;
  /** Sends the request until its response fulfils the condition, for work that workers do. */
  until(target: string, isDone: (answer: Answer) => boolean, as?: Caller): Promise<Answer>;
}

/** Where requests go, and who sends them. */
export interface Deployment {
  readonly transport: Transport;
  readonly tokens: TokenSource;
  /** The id of an account; without a name, the id of the usual account. */
  accountOf(name?: string): string;
  /** The permissions of the usual caller. */
  readonly permissions: Pick<Caller, 'role' | 'scope'>;
}

/** The first pause between two polls; each pause is twice as long as the previous pause, up to the last. */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 100;
const WORK_MS = 60_000;

/** Waits for work that workers do. */
const waitFor =
  (send: Client['send']): Client['until'] =>
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

interface Options {
  /** Whether each response is compared with docs/openapi.json. A test can change it. */
  readonly checks: { readonly documented: boolean };
  /** Called with each response and its caller. */
  readonly onAnswer?: (request: SentRequest, answer: Answer, as: Caller | 'nobody') => void;
}

export const createClient = (
  { transport, tokens, accountOf, permissions }: Deployment,
  { checks, onAnswer }: Options,
): Client => {
  const token: Client['token'] = ({ account, sub = 'user_1', role, scope, ...rest } = {}) => {
    const asked = role === undefined && scope === undefined ? permissions : { role, scope };
    return tokens({ account: accountOf(account), sub, ...asked, ...rest });
  };

  const send: Client['send'] = async (target, { as = {}, remaining, headers, ...sent } = {}) => {
    const authorization = as === 'nobody' ? undefined : `Bearer ${await token(as)}`;
    const request = toSentRequest(target, { ...sent, headers: { authorization, ...headers } });
    const response = await transport(request, remaining);
    const answer = toAnswer(response);
    onAnswer?.(request, answer, as);
    if (checks.documented) await compareWithDocument(request, { ...response, headers: ownHeaders(response) });
    return answer;
  };

  return {
    send,
    token,
    subject: async (caller) => decodeJwt(await token(caller)).sub as string,
    async create(path, body, as = {}) {
      const headers = { 'idempotency-key': randomUUID() };
      const answer = await send(path, { method: 'POST', headers, as, ...(body !== undefined && { body }) });
      if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
      return answer;
    },
    until: waitFor(send),
  };
};
