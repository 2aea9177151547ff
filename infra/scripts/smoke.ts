import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * npm run smoke -- <address>: whether a deployed service answers as it should, on an account of its own, where nothing
 * stays behind. Without a token only what needs none is asked.
 *
 * TOKEN: an access token with customers:read and customers:write; or TOKEN_URL, CLIENT_ID and CLIENT_SECRET (and
 * TOKEN_AUDIENCE, where the issuer wants it) to get one by (RFC 6749 §4.4).
 */

const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 500;
const TIMEOUT_MS = 10_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Send = (method: string, path: string, headers?: Record<string, string>, body?: unknown) => Promise<Answer>;

const sender =
  (address: string, common: Record<string, string> = {}): Send =>
  async (method, path, headers = {}, body = undefined) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, address), {
      method,
      headers: { ...common, ...json, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

let failures = 0;

/** Prints what was expected, and where it is not so, what came: a status and a code, never a body. */
const expect = (what: string, { status, text }: Answer, holds: boolean): void => {
  const code = /"code":"([a-z-]+)"/.exec(text)?.[1];
  console.log(holds ? `ok    ${what}` : `FAIL  ${what}: ${[status, code].filter(Boolean).join(' ')}`);
  if (!holds) failures += 1;
};

/** A fresh address may take a while to be known. */
const waitUntilHealthy = async (send: Send): Promise<Answer> => {
  for (const until = Date.now() + READY_TIMEOUT_MS; ; await sleep(POLL_MS)) {
    try {
      const answer = await send('GET', '/health');
      if (answer.status < 500 || Date.now() > until) return answer;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
};

const checkOpen = async (send: Send): Promise<void> => {
  const health = await waitUntilHealthy(send);
  expect('GET /health is 200', health, health.status === 200 && health.text === '{"status":"ok"}');
  const closed = await send('GET', '/v1/invoices');
  const challenge = closed.headers.get('www-authenticate') === 'Bearer realm="invoicing"';
  expect('§5: without a token 401, and a challenge', closed, closed.status === 401 && challenge);
  const unknown = await send('GET', '/v1/nothing');
  const isProblem = unknown.headers.get('content-type') === 'application/problem+json';
  expect('CONTRACT §10: an unknown path is a 404 problem', unknown, unknown.status === 404 && isProblem);
  const allowed = await send('OPTIONS', '/v1/invoices', { origin: 'null', 'access-control-request-method': 'POST' });
  expect('CONTRACT §10: a preflight is 204', allowed, allowed.status === 204);
};

const checkMember = async (send: Send, path: string, tag: string): Promise<void> => {
  const read = await send('GET', `${path}?fields=name`);
  expect('§4: fields chooses what is read', read, read.status === 200 && read.text === '{"name":"Smoke"}');
  const same = await send('GET', path, { 'if-none-match': tag });
  expect('§4: If-None-Match with the current tag is 304', same, same.status === 304);
  const edited = await send('PATCH', path, { 'if-match': tag }, { name: 'Smoke test' });
  expect(
    '§4: If-Match with the current tag edits',
    edited,
    edited.status === 200 && edited.headers.get('etag') !== tag,
  );
  const stale = await send('PATCH', path, { 'if-match': tag }, { name: 'Smoke' });
  expect('§4: a stale If-Match is 412', stale, stale.status === 412);
  const page = await send('GET', '/v2/customers?limit=100&sort=-id');
  const id = Number(path.split('/').pop());
  expect('CONTRACT §5: what was created is in the next list', page, page.text.includes(`{"id":${id},`));
};

const checkClosed = async (send: Send): Promise<void> => {
  const post = ['POST', '/v1/customers', { 'idempotency-key': randomUUID() }, { name: 'Smoke' }] as const;
  const created = await send(...post);
  const path = created.headers.get('location');
  const tag = created.headers.get('etag');
  expect('POST /v1/customers is 201', created, created.status === 201 && path !== null && tag !== null);
  if (path === null || tag === null) return;
  const again = await send(...post);
  const isReplayed = again.headers.get('idempotent-replayed') === 'true' && again.text === created.text;
  expect('§4 Idempotency 3: a retry is the original response', again, again.status === 201 && isReplayed);
  await checkMember(send, path, tag);
  const gone = await send('DELETE', path);
  expect('DELETE is 204', gone, gone.status === 204);
  const repeated = await send('DELETE', path);
  expect('§4 Idempotency 7: a repeated DELETE is 404', repeated, repeated.status === 404);
};

/** @throws Error when the issuer gives no token; its answer is not shown */
const tokenOf = async (environment: NodeJS.ProcessEnv): Promise<string | undefined> => {
  const { TOKEN, TOKEN_URL, TOKEN_AUDIENCE, CLIENT_ID, CLIENT_SECRET } = environment;
  if (TOKEN || !TOKEN_URL || !CLIENT_ID || !CLIENT_SECRET) return TOKEN || undefined;
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'customers:read customers:write' });
  if (TOKEN_AUDIENCE) body.set('audience', TOKEN_AUDIENCE);
  const authorization = `Basic ${btoa(`${encodeURIComponent(CLIENT_ID)}:${encodeURIComponent(CLIENT_SECRET)}`)}`;
  const response = await fetch(TOKEN_URL, { method: 'POST', headers: { authorization }, body });
  const { access_token } = (await response.json()) as { access_token?: unknown };
  if (response.ok && typeof access_token === 'string') return access_token;
  throw new Error(`The issuer gives no token: ${response.status}.`);
};

const [address = ''] = process.argv.slice(2);
if (!URL.canParse(address)) {
  console.error('Expected the address of a service: npm run smoke -- https://…');
  process.exit(2);
}
try {
  await checkOpen(sender(address));
  const token = await tokenOf(process.env);
  if (token) await checkClosed(sender(address, { authorization: `Bearer ${token}` }));
  else console.log('There is no token: nothing else was asked.');
} catch (error) {
  const { message, cause } = error as Error;
  console.log(`FAIL  ${cause instanceof Error ? cause.message || message : message}`);
  failures += 1;
}
process.exitCode = failures > 0 ? 1 : 0;
