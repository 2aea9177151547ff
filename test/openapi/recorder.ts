import { jest } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import type { RecordedExchange } from '#shared/openapi/recorded.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Answer, Caller } from '#test/support/service/client.ts';
import { CLOCKS } from '#test/support/service/clock.ts';
import type { LocalService } from '#test/support/service/local-service.ts';

/** The fixed clock of a scenario: the start, and the step between requests, so that ids and times never change. */
const START = Date.parse('2026-11-23T09:30:00.000Z');
const STEP_MS = 1234;
const REQUEST_ID = '4a0626f4-d4ea-42e7-9fc9-d87d5d980156';

/** Events contain the id of the request that made the change. */
const EVENT_REQUEST_ID = /"request_id":"[^"]*"/g;

/** Secrets are random. The shown secret is the text "an example, not a real secret!!!". */
const SECRET = /"secret":"whsec_[^"]*"/g;
const SHOWN_SECRET = `whsec_${Buffer.from('an example, not a real secret!!!').toString('base64')}`;

/** Headers that do not belong to the interface, or are the same in every response. */
const OMITTED_HEADERS = /^(access-control-|content-length|x-request-id)/;

/** The replacements of headers whose value differs in every run. */
const REPLACED_HEADERS: Readonly<Record<string, string>> = { location: 'https://…' };

export interface RecordedRequest {
  readonly ids?: Readonly<Record<string, number>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly as?: Caller;
}

/** Sends one request and records it with its response. */
export type Recorder = (file: string, title: string, request?: RecordedRequest) => Promise<Answer>;

let now = START;

const HOUR_MS = 3_600_000;

export const advanceHours = (hours: number): void => {
  now += hours * HOUR_MS;
};

/**
 * Starts a part of the scenario at its own hour, so that a new request in one part leaves the ids of other parts
 * unchanged.
 */
export const beginPart = (hour: number): void => {
  now = START + hour * HOUR_MS;
};

/** Replaces the clock and `Math.random`, so that ids and times are the same in every run. */
export const freezeTime = (): void => {
  now = START;
  jest.useFakeTimers({
    now,
    doNotFake: [...CLOCKS],
  });
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
};

const sentHeaders = (headers: RecordedRequest['headers'] = {}, body: unknown): Record<string, string> => {
  const sent = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
  return Object.fromEntries(Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined));
};

export const createRecorder = (
  service: LocalService,
  version: Version,
): { record: Recorder; exchanges: RecordedExchange[] } => {
  const exchanges: RecordedExchange[] = [];
  const record: Recorder = async (file, title, { ids = {}, query = '', headers, body, as } = {}) => {
    now += STEP_MS;
    jest.setSystemTime(now);
    const { method, path } = endpoints[file] as NonNullable<(typeof endpoints)[string]>;
    const target = `/${version}${path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))}${query}`;
    const caller = { account: `acct_${version}`, ...as };
    const answer = await service.send(target, { method, body, as: caller, ...(headers && { headers }) });
    const text = answer.text
      .replaceAll(String(answer.headers['x-request-id']), REQUEST_ID)
      .replaceAll(EVENT_REQUEST_ID, `"request_id":"${REQUEST_ID}"`)
      .replaceAll(SECRET, `"secret":"${SHOWN_SECRET}"`);
    const shown = Object.entries(answer.headers).filter(([name]) => !OMITTED_HEADERS.test(name));
    const received = Object.fromEntries(
      shown.map(([name, value]) => [name, answer.status === 303 ? (REPLACED_HEADERS[name] ?? value) : value]),
    );
    exchanges.push({
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
  return { record, exchanges };
};
