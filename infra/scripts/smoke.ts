import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * npm run smoke -- <URL>: checks a deployed service. It creates one customer in the token's account and deletes it
 * again. Without a token it runs only the checks that need none.
 *
 * TOKEN is an access token with customers:read and customers:write. Or TOKEN_URL, CLIENT_ID and CLIENT_SECRET (and
 * TOKEN_AUDIENCE if the issuer requires it) fetch one with client credentials (RFC 6749 §4.4).
 */

const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 500;
const TIMEOUT_MS = 10_000;

interface Result {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

type Send = (method: string, path: string, headers?: Record<string, string>, body?: unknown) => Promise<Result>;

const createSend =
  (address: string, commonHeaders: Record<string, string> = {}): Send =>
  async (method, path, headers = {}, body = undefined) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, address), {
      method,
      headers: { ...commonHeaders, ...json, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

let failures = 0;

/** Prints the check, and if it failed the status and the problem's code, but never a body. */
const check = (name: string, { status, text }: Result, passed: boolean): void => {
  const code = /"code":"([a-z-]+)"/.exec(text)?.[1];
  console.log(passed ? `ok    ${name}` : `FAIL  ${name}: ${[status, code].filter(Boolean).join(' ')}`);
  if (!passed) failures += 1;
};

/** DNS may not resolve the address of a new deployment for a while. */
const waitUntilHealthy = async (send: Send): Promise<Result> => {
  for (const until = Date.now() + READY_TIMEOUT_MS; ; await sleep(POLL_MS)) {
    try {
      const result = await send('GET', '/health');
      if (result.status < 500 || Date.now() > until) return result;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
};

const checkPublic = async (send: Send): Promise<void> => {
  const health = await waitUntilHealthy(send);
  check('GET /health returns 200', health, health.status === 200 && health.text === '{"status":"ok"}');
  const anonymous = await send('GET', '/v1/invoices');
  const challenge = anonymous.headers.get('www-authenticate') === 'Bearer realm="invoicing"';
  check(
    '§5: a request without a token gets 401 with WWW-Authenticate',
    anonymous,
    anonymous.status === 401 && challenge,
  );
  const unknown = await send('GET', '/v1/nothing');
  const isProblem = unknown.headers.get('content-type') === 'application/problem+json';
  check('CONTRACT §10: an unknown path returns a 404 problem', unknown, unknown.status === 404 && isProblem);
  const preflight = await send('OPTIONS', '/v1/invoices', { origin: 'null', 'access-control-request-method': 'POST' });
  check('CONTRACT §10: a CORS preflight returns 204', preflight, preflight.status === 204);
};

const checkCustomer = async (send: Send, path: string, etag: string): Promise<void> => {
  const read = await send('GET', `${path}?fields=name`);
  check('§4: fields selects the returned fields', read, read.status === 200 && read.text === '{"name":"Smoke"}');
  const same = await send('GET', path, { 'if-none-match': etag });
  check('§4: If-None-Match with the current ETag returns 304', same, same.status === 304);
  const edited = await send('PATCH', path, { 'if-match': etag }, { name: 'Smoke test' });
  check(
    '§4: PATCH with the current ETag in If-Match succeeds',
    edited,
    edited.status === 200 && edited.headers.get('etag') !== etag,
  );
  const stale = await send('PATCH', path, { 'if-match': etag }, { name: 'Smoke' });
  check('§4: PATCH with an outdated ETag in If-Match returns 412', stale, stale.status === 412);
  const page = await send('GET', '/v2/customers?limit=100&sort=-id');
  const id = Number(path.split('/').pop());
  check('CONTRACT §5: the next list contains the created customer', page, page.text.includes(`{"id":${id},`));
};

const checkWithToken = async (send: Send): Promise<void> => {
  const post = ['POST', '/v1/customers', { 'idempotency-key': randomUUID() }, { name: 'Smoke' }] as const;
  const created = await send(...post);
  const path = created.headers.get('location');
  const etag = created.headers.get('etag');
  check('POST /v1/customers returns 201', created, created.status === 201 && path !== null && etag !== null);
  if (path === null || etag === null) return;
  const again = await send(...post);
  const isReplay = again.headers.get('idempotent-replayed') === 'true' && again.text === created.text;
  check('§4 Idempotency 3: a retry returns the original response', again, again.status === 201 && isReplay);
  await checkCustomer(send, path, etag);
  const deleted = await send('DELETE', path);
  check('DELETE returns 204', deleted, deleted.status === 204);
  const deletedAgain = await send('DELETE', path);
  check('§4 Idempotency 7: a repeated DELETE returns 404', deletedAgain, deletedAgain.status === 404);
};

/** @throws Error if the issuer returns no token; the message does not contain its response */
const fetchToken = async (environment: NodeJS.ProcessEnv): Promise<string | undefined> => {
  const { TOKEN, TOKEN_URL, TOKEN_AUDIENCE, CLIENT_ID, CLIENT_SECRET } = environment;
  if (TOKEN || !TOKEN_URL || !CLIENT_ID || !CLIENT_SECRET) return TOKEN || undefined;
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'customers:read customers:write' });
  if (TOKEN_AUDIENCE) body.set('audience', TOKEN_AUDIENCE);
  const authorization = `Basic ${btoa(`${encodeURIComponent(CLIENT_ID)}:${encodeURIComponent(CLIENT_SECRET)}`)}`;
  const response = await fetch(TOKEN_URL, { method: 'POST', headers: { authorization }, body });
  const { access_token } = (await response.json()) as { access_token?: unknown };
  if (response.ok && typeof access_token === 'string') return access_token;
  throw new Error(
    `The issuer returned no token (status ${response.status}): check TOKEN_URL, CLIENT_ID, CLIENT_SECRET and TOKEN_AUDIENCE.`,
  );
};

const [address = ''] = process.argv.slice(2);
if (!URL.canParse(address)) {
  console.error('Expected the URL of a service: npm run smoke -- https://api.example.com');
  process.exit(2);
}
try {
  await checkPublic(createSend(address));
  const token = await fetchToken(process.env);
  if (token) await checkWithToken(createSend(address, { authorization: `Bearer ${token}` }));
  else console.log('Skipped the checks that need a token: set TOKEN, or TOKEN_URL, CLIENT_ID and CLIENT_SECRET.');
} catch (error) {
  const { message, cause } = error as Error;
  console.log(`FAIL  ${cause instanceof Error ? cause.message || message : message}`);
  failures += 1;
}
process.exitCode = failures > 0 ? 1 : 0;
