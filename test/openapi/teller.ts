import { jest } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import type { Exchange } from '#shared/openapi/recorded.ts';
import { routeOf } from '#shared/platform/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { CLOCKS } from '#test/support/exports.ts';
import type { Answer, Claims, Service } from '#test/support/service.ts';

/** When the story begins, and how much later each of its requests is: its ids and times are the same every time. */
const BEGINNING = Date.parse('2026-11-23T09:30:00.000Z');
const STEP_MS = 1234;
/** Tokens outlive the story. */
const END_S = BEGINNING / 1000 + 30 * 86_400;
const REQUEST_ID = '4a0626f4-d4ea-42e7-9fc9-d87d5d980156';

/** Headers that say nothing of the interface, or the same at every request. */
const LEFT_OUT = /^(access-control-|content-length|x-request-id)/;

/** What is another one at every request. */
const PASSING: Readonly<Record<string, string>> = { location: 'https://…' };

export interface Told {
  readonly ids?: Readonly<Record<string, number>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly claims?: Claims;
}

/** Sends one request of the story and records it with its answer. */
export type Tell = (file: string, title: string, told?: Told) => Promise<Answer>;

let moment = BEGINNING;

const DAY_MS = 86_400_000;

/** Lets days pass. */
export const pass = (days: number): void => {
  moment += days * DAY_MS;
};

/** Stops the clock, and takes the chance out of ids. */
export const freeze = (): void => {
  moment = BEGINNING;
  jest.useFakeTimers({
    now: moment,
    doNotFake: [...CLOCKS],
  });
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
};

const sentHeaders = (headers: Told['headers'] = {}, body: unknown): Record<string, string> => {
  const sent = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
  return Object.fromEntries(Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined));
};

/** The teller of a version's story, and what it has recorded so far. */
export const teller = (service: Service, version: Version): { tell: Tell; recorded: Exchange[] } => {
  const recorded: Exchange[] = [];
  const tell: Tell = async (file, title, { ids = {}, query = '', headers, body, claims } = {}) => {
    moment += STEP_MS;
    jest.setSystemTime(moment);
    const { method, path } = routeOf(endpoints[file] as NonNullable<(typeof endpoints)[string]>);
    const target = `/${version}${path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))}${query}`;
    const account = { account_id: `acct_${version}`, exp: END_S, ...claims };
    const answer = await service.send(target, { method, body, claims: account, ...(headers && { headers }) });
    const text = answer.text.replaceAll(String(answer.headers['x-request-id']), REQUEST_ID);
    const kept = Object.entries(answer.headers).filter(([name]) => !LEFT_OUT.test(name));
    const received = Object.fromEntries(
      kept.map(([name, value]) => [name, answer.status === 303 ? (PASSING[name] ?? value) : value]),
    );
    recorded.push({
      file,
      version,
      title,
      method,
      target,
      sent: { headers: sentHeaders(headers, body), ...(body !== undefined && { body }) },
      status: answer.status,
      headers: received,
      ...(text !== '' && { body: JSON.parse(text) }),
    });
    return answer;
  };
  return { tell, recorded };
};
