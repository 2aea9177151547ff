import { constants } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { Socket, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectTls, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls';
import { getSystemErrorMap } from 'node:util';
import { type AddressRules, checkedLookup, urlError } from '#shared/platform/webhooks/address.ts';
import { NameError, type Resolve } from '#shared/platform/webhooks/resolve-name.ts';
import type { Answer, DeliveryError } from '#shared/platform/webhooks/schedule.ts';

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface PostOptions extends AddressRules {
  /** Time from the call to the response's headers. The part of the body that has arrived by then is read. */
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

const CONNECT_TIMEOUT_MS = 3000;
/**
 * Limits of what the connection receives: the handshake, messages of TLS, interim responses, blank lines and the sizes
 * of chunks, which can all be endless. A read of a single byte costs as much CPU as a read of many bytes.
 */
const MAX_BYTES = 131_072;
const MAX_READS = 1000;
const MAX_BODY_BYTES = 16_384;
const MAX_BODY_CHARACTERS = 1000;
const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Sends one request to an address of the internet, without redirects, cookies and proxies (CONTRACT §15).
 * A receiver cannot make it reject.
 */
export const post = async (message: Post, { timeoutMs = 15_000, ...options }: PostOptions): Promise<Answer> => {
  const violation = urlError(message.url, options);
  if (violation) return failure('address-not-allowed', `The URL ${violation}.`);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const request = createRequest(message, options, deadline.signal);
  try {
    request.end(message.body);
    // The deadline is necessary here, too: Node can close a request without any event but "close".
    const [response] = (await once(request, 'response', deadline)) as [IncomingMessage];
    return toAnswer(response, await readStart(response));
  } catch (error) {
    if (!deadline.signal.aborted) return toFailure(error as NodeJS.ErrnoException, request);
    return failure('timeout', `The receiver did not respond within ${timeoutMs / 1000} s.`);
  } finally {
    clearTimeout(timer);
    request.destroy();
  }
};

const createRequest = (
  { url, headers }: Post,
  { resolve, ...rules }: Omit<PostOptions, 'timeoutMs'>,
  signal: AbortSignal,
): ClientRequest => {
  const target = new URL(url);
  const isTls = target.protocol === 'https:';
  const tcp = new Socket();
  // An agent of its own: no connection is used twice, and NODE_USE_ENV_PROXY affects only the global agent.
  const agent = new (isTls ? HttpsAgent : HttpAgent)();
  agent.createConnection = (options) => {
    // Before it connects, so that TLS reads from the events of the TCP socket, which are counted below.
    const socket = isTls ? connectTls({ ...(options as ConnectionOptions), socket: tcp }) : tcp;
    tcp.connect(options as TcpNetConnectOpts);
    return socket;
  };
  const settings: RequestOptions & Pick<TcpNetConnectOpts, 'autoSelectFamilyAttemptTimeout'> = {
    method: 'POST',
    headers,
    signal,
    lookup: checkedLookup(rules, signal, resolve),
    agent,
    // Otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would disable it.
    rejectUnauthorized: true,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    // With DHE, the receiver would choose the size of the group: 10,000 bits take 600 ms of CPU.
    ciphers: `${DEFAULT_CIPHERS}:!DHE`,
    // Node's default is 250 ms for each address of a name but the last, which is too short for another continent.
    autoSelectFamilyAttemptTimeout: CONNECT_TIMEOUT_MS,
  };
  const request = (isTls ? httpsRequest : httpRequest)(target, settings);
  // For an upgrade without a listener, Node emits neither a response nor an error.
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    request.emit('error', Object.assign(new Error(), { code: 'UNEXPECTED_UPGRADE' }));
  });
  const fail = (code: string) => request.destroy(Object.assign(new Error(), { code }));
  request.on('socket', (socket) => {
    let [bytes, reads] = [0, 0];
    tcp.on('data', ({ length }) => {
      bytes += length;
      reads += 1;
      if (bytes > MAX_BYTES || reads > MAX_READS) fail('TOO_MUCH_RECEIVED');
    });
    // Node emits the event also after a refused renegotiation, for which it has checked the certificate again.
    socket.once('secureConnect', () => socket.once('secureConnect', () => fail('ERR_TLS_RENEGOTIATION_DISABLED')));
  });
  // A receiver may reset the connection after its response.
  request.on('error', () => {});
  return request;
};

/** Reads the start of the body, also if the rest is endless, late or lost. */
const readStart = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_BODY_BYTES) break;
    }
  } catch {
    // The status has arrived: the outcome no longer depends on the body.
  }
  const text = Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');
  return [...text].slice(0, MAX_BODY_CHARACTERS).join('');
};

const toAnswer = ({ statusCode = 0, headers }: IncomingMessage, body: string): Answer => {
  // Node accepts 000 to 099.
  if (statusCode < 100) return failure('connection-failed', `${INVALID_HTTP}.`);
  const retryAfterMs = parseRetryAfter(headers['retry-after']);
  return { status: statusCode, body, retryAfterMs, error: statusError(statusCode) };
};

const statusError = (status: number): DeliveryError | null => {
  if (status >= 200 && status < 300) return null;
  return REDIRECTS.includes(status)
    ? { code: 'redirect', detail: `The receiver responded with a redirect (${status}), which is not followed.` }
    : { code: 'unexpected-status', detail: `The receiver responded with status ${status}.` };
};

/** Seconds or an HTTP date (RFC 9110 §10.2.3). */
const parseRetryAfter = (value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = /^[A-Z][a-z]+, .* GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
};

const failure = (code: DeliveryError['code'], detail: string): Answer => ({
  status: null,
  body: null,
  retryAfterMs: undefined,
  error: { code, detail },
});

const INVALID_HTTP = 'The response is not valid HTTP';
const CONNECTION_FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The receiver refused the connection',
  ECONNRESET: 'The receiver closed the connection before a response',
  HPE_HEADER_OVERFLOW: 'The headers of the response are too large',
  TOO_MUCH_RECEIVED: `The receiver sent more than ${MAX_BYTES / 1024} KB, or more than ${MAX_READS.toLocaleString('en')} packets, before a response`,
  UNEXPECTED_UPGRADE: 'The receiver upgraded the connection',
};

const UNKNOWN_ISSUER = 'has an issuer that is not trusted, or was sent without its chain';
/** By the codes of OpenSSL and of `node:tls`. */
const CERTIFICATE_FAILURES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
};

const SYSTEM_ERRORS = new Set([...getSystemErrorMap().values()].map(([name]) => name));

/** The error's message is not used: it can contain a resolved address. */
const toFailure = (error: NodeJS.ErrnoException, request: ClientRequest): Answer => {
  if (error instanceof NameError) return failure(error.code, error.message);
  const { code = '' } = error;
  const socket = request.socket as TLSSocket | null;
  if (socket?.authorizationError) {
    return failure('tls-failed', `The certificate ${CERTIFICATE_FAILURES[code] ?? 'is not valid'}.`);
  }
  if (/^(EPROTO$|ERR_(SSL|OSSL|TLS)_)/.test(code)) return failure('tls-failed', 'The TLS connection failed.');
  const reason = CONNECTION_FAILURES[code] ?? (code.startsWith('HPE_') ? INVALID_HTTP : 'The connection failed');
  return failure('connection-failed', SYSTEM_ERRORS.has(code) ? `${reason} (${code}).` : `${reason}.`);
};
