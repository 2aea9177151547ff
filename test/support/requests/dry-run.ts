import type { Answer, Call, Client } from '#test/support/service/client.ts';

/** The call as a dry run (CONTRACT §13). */
export const dryRunOf = ({ target, sent }: Call, value = 'true'): Call => ({
  target: `${target}${target.includes('?') ? '&' : '?'}dry_run=${value}`,
  sent,
});

export const sendDryRun = (service: Pick<Client, 'send'>, call: Call): Promise<Answer> => {
  const { target, sent } = dryRunOf(call);
  return service.send(target, sent);
};

const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';
/** A 202 of an action on an existing resource creates no resource. */
const isCreation = ({ status, headers }: Answer): boolean => [201, 202].includes(status) && headers['etag'] === '"1"';

/**
 * The status, headers and body of a response, without its request id, the seconds to wait and the rest of the budget.
 * @param since epoch milliseconds; times from then on are equal, because each request has its own
 */
export const comparable = (answer: Answer, since: number): object => {
  const headers = {
    ...answer.headers,
    'x-request-id': '',
    ratelimit: '',
    ...(answer.status === 429 && { 'retry-after': '' }),
  };
  const body = answer.json?.request_id === undefined ? answer.text : answer.text.replace(answer.json.request_id, '');
  const withoutTimes = body.replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (time) =>
    Date.parse(JSON.parse(time)) >= since ? '"now"' : time,
  );
  return { status: answer.status, headers, body: withoutTimes };
};

/** The expected response to a dry run, from the response to the same request without `dry_run`. */
export const dryResponseOf = (real: Answer, dry: Answer): Answer => {
  const { etag, location, ...others } = real.headers;
  if (isReplay(real) || real.status >= 400) return { ...real, headers: { ...real.headers, 'dry-run': 'true' } };
  const text = isCreation(real) ? real.text.replace(/^\{"id":\d+/, '{"id":null') : real.text;
  const withoutSecret = text.replace(/"whsec_[^"]*"/, 'null');
  return { ...real, headers: { ...others, 'dry-run': 'true' }, text: withoutNewNumber(withoutSecret, real, dry) };
};

/** Without the number that the request assigned. An unchanged invoice may also have its times from the commit that issued it. */
const withoutNewNumber = (text: string, { json }: Answer, dry: Answer): string =>
  json?.number && json.issued_at === json.updated_at && dry.json?.number === null
    ? text.replace(`"number":"${json.number}"`, '"number":null')
    : text;
