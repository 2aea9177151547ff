import type { Caller } from '#test/support/service/client.ts';
import { below, type Chance, pick, type Request } from './random-requests.ts';

export interface Raw {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
  readonly as: Caller;
}

type Mutation = (raw: Raw, chance: Chance) => Raw;

export const rawOf = ({ target, sent: { method, headers = {}, body } }: Request): Raw => ({
  method,
  target,
  headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  ...(body !== undefined && { body: JSON.stringify(body) }),
  as: {},
});

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'get', ''];
const VERSIONS = ['v0', 'v3', 'V1', 'v1.0', '', 'v1%20', '%76%31'];
const SEGMENTS = [
  ...['0', '-1', '01', '1.0', '1e3', 'abc', '9007199254740991', '9007199254740992', '99999999999999999999'],
  ...['%zz', '%', '%2F', '%00', '%F0%9F%98%80', '..', '.', '', '*', 'constructor', '__proto__', 'null', "1'--", '{id}'],
  ...['customers', 'Invoices', 'invoice%73', 'cancel', 'nope', 'x'.repeat(2000)],
];
const PARAMETERS = [
  ...['nonsense=1', 'limit=0', 'limit=101', 'limit=1e1', 'limit=', 'page=0', 'page=9007199254740991', 'page=1&after=x'],
  ...['per_page=100&page=2', 'after=', 'after=abc', 'after=eyJpZCI6MX0', 'fields=', 'fields=nope', 'fields=id,id'],
  ...['fields=__proto__', 'fields=id&fields=id', 'fields=id,,id', 'expand=', 'expand=nope', 'expand=customer,customer'],
  ...['sort=up', 'sort=id', 'sort=-id', 'sort=-id&sort=id', 'status=late', 'status=open', 'email=', 'email=%00'],
  ...['customer_id=0', 'customer_id=abc', 'invoice_id=-1', 'payment_id=9007199254740992', 'type=nope', 'account_id=b'],
  ...['%zz', '%', 'a=%ff', '=', '&&&', '=1', '__proto__=1', 'constructor=1', `x=${'y'.repeat(5000)}`, 'a[b]=c', '+'],
  ...['created_from=yesterday', 'created_before=2026-01-01T00:00:00Z', 'dry_run=maybe', 'fields=id;drop'],
  ...['created_from=9999-12-31T23:59:59Z', 'created_from=%2B275760-09-13T00:00:00Z', 'page=1e3', 'expand=resource'],
  ...['created_before=0001-01-01T00:00:00Z', `email=${'a'.repeat(320)}`, 'sort=constructor', 'expand=customer,items'],
  ...['sort=due_date', 'sort=-due_date', 'due_from=2026-01-01', 'due_from=x', 'due_before=9999-12-31', 'due_before='],
];
const HEADERS: readonly (readonly [name: string, values: readonly (string | undefined)[]])[] = [
  [
    'authorization',
    [undefined, '', 'Bearer', 'Bearer x', 'Bearer a.b.c', 'Basic dTpw', 'Bearer e30.e30.', 'Bearer a b'],
  ],
  ['idempotency-key', [undefined, '', 'x', '1', '"', '00000000-0000-0000-0000-000000000000', 'k'.repeat(3000)]],
  [
    'if-match',
    [
      ...['', '*', '"1"', '"99"', '99', '"', 'W/"1"', '"1", "2"', '"1" "2"', ',', '"1-2"', '"\u00e9"'],
      ...['"0"', '"-1"', '"1e3"', '""', '"1-abc"', `"${'9'.repeat(20)}"`],
    ],
  ],
  ['if-none-match', ['', '*', '"1"', '"1-gzip"', '99', '"', 'W/', '"1", W/"2"', ',']],
  [
    'content-type',
    [undefined, '', 'text/plain', 'application/json; charset=latin1', 'application/merge-patch+json', '/'],
  ],
  ['content-encoding', ['gzip', 'identity', '', 'br, gzip']],
  ['accept', ['text/html', '', '*/*']],
  ['origin', ['https://a.example', 'null', '']],
  ['x-request-id', ['mine', '']],
];
const TEXTS = [
  ...[
    '',
    ' ',
    '{',
    '}',
    '[]',
    'null',
    '1',
    '"a"',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    '{"a":1}}',
    '[{}',
    'NaN',
    '\ufeff{}',
  ],
  ...[
    '{"name":"a","name":"b"}',
    '{"__proto__":{"name":"a"}}',
    '{"constructor":1}',
    '{"account_id":"b","role":"admin"}',
  ],
  ...[
    '{"name":"\\ud800"}',
    '{"name":"\\u0000"}',
    `{"name":"${'x'.repeat(1001)}"}`,
    `{"name":"${'x'.repeat(300_000)}"}`,
  ],
  ...['['.repeat(40) + ']'.repeat(40), `{"metadata":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`],
];
const BYTES = [Buffer.from([0xff, 0xfe]), Buffer.from('{"name":"\xff"}', 'latin1'), Buffer.from([]), Buffer.from('{}')];
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, -0, 1.5, 1e21, 2 ** 53, 999_999_999_999, 1_000_000_000_000, '', '1', 'a', 'USD', 'usd'],
  ...['\0', '\ud800', '😀'.repeat(1001), 'x'.repeat(1001), '2026-02-30', '2026-01-01', 'paid', 'canceled', [], [1], {}],
  ...[{ amount: 1 }, { amount: -1, currency: 'USD' }, { amount: 1, currency: 'XXX', x: 1 }, { '': 'a' }, { a: null }],
  ...['0000-01-01', '9999-12-31', [null], [[]], { length: 1 }, { constructor: 1 }],
  JSON.parse('{"__proto__":{"a":"b"}}'),
  ...[96, 95].map((count) =>
    Array(count).fill({ description: 'x', unit_amount_cents: 999_999_999_999, quantity: 1e6 }),
  ),
  ...[{ line1: 1, planet: 'x' }, Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'v']))],
];
const CLAIMS: readonly NonNullable<Caller['claims']>[] = [
  ...[{ account_id: 'acct_2' }, { role: 'viewer' }, { role: 'clerk' }, { role: 'accountant' }, { role: 'owner' }],
  ...[{ role: undefined }, { role: undefined, scope: 'invoices:read payments:write' }, { scope: ['invoices:read'] }],
  ...[{ account_id: '' }, { account_id: 'a#b' }, { account_id: undefined }, { sub: '' }, { role: 7 }, { iat: 2 ** 40 }],
];

const path = (target: string) => target.split('?')[0] as string;
const query = (target: string) => target.slice(path(target).length);
const changeSegments = (target: string, change: (segments: string[]) => void): string => {
  const segments = path(target).split('/').slice(1);
  change(segments);
  return `/${segments.join('/')}${query(target)}`;
};

/** Changes, adds or removes one member of a JSON object. */
const changeMember = (body: string, chance: Chance): string => {
  const members: Record<string, unknown> = JSON.parse(body);
  const name = pick(chance, [...Object.keys(members), 'unknown', 'id', 'metadata']);
  if (chance() < 1 / 4) delete members[name];
  else Object.defineProperty(members, name, { value: pick(chance, VALUES), enumerable: true });
  return JSON.stringify(members);
};

const cutBody = (body: string, chance: Chance): string => {
  const at = below(chance, body.length);
  return pick(chance, [
    body.slice(0, at),
    body.slice(0, at) + body.slice(at + 1),
    `${body.slice(0, at)}"${body.slice(at)}`,
  ]);
};

const MUTATIONS: readonly Mutation[] = [
  (raw, chance) => ({ ...raw, method: pick(chance, METHODS) }),
  (raw, chance) => ({
    ...raw,
    target: changeSegments(raw.target, (segments) => segments.splice(0, 1, pick(chance, VERSIONS))),
  }),
  (raw, chance) => {
    const change = (segments: string[]) =>
      segments.splice(below(chance, segments.length + 1), below(chance, 2), pick(chance, SEGMENTS));
    return { ...raw, target: changeSegments(raw.target, change) };
  },
  (raw, chance) => ({ ...raw, target: `${raw.target}${query(raw.target) ? '&' : '?'}${pick(chance, PARAMETERS)}` }),
  (raw, chance) => {
    const [name, values] = pick(chance, HEADERS);
    return { ...raw, headers: { ...raw.headers, [name]: pick(chance, values) } };
  },
  (raw, chance) => ({ ...raw, body: pick(chance, [...TEXTS, ...BYTES]) }),
  (raw, chance) => (typeof raw.body === 'string' ? { ...raw, body: cutBody(raw.body, chance) } : raw),
  (raw, chance) => (isObject(raw.body) ? { ...raw, body: changeMember(raw.body, chance) } : raw),
  (raw, chance) => (isObject(raw.body) ? { ...raw, body: changeMember(raw.body, chance) } : raw),
  (raw, chance) => ({ ...raw, as: { claims: pick(chance, CLAIMS) } }),
];

const isObject = (body: Raw['body']): body is string => {
  try {
    const value = typeof body === 'string' && JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

/** Applies up to three random mutations to a request. */
export const mutate = (raw: Raw, chance: Chance): Raw =>
  Array.from({ length: below(chance, 4) }, () => pick(chance, MUTATIONS)).reduce(
    (one, mutation) => mutation(one, chance),
    raw,
  );
