import type { ReceivedResponse, SentRequest, Transport } from '../suite/transport.ts';

type Plant = (next: Transport) => Transport;

/** A mistake of the service as clients see it: a change of requests or responses that a check of a group must find. */
export type Fault = readonly [mistake: string, group: string, partOfTitle: string, plant: Plant];

const ANY = /./;
const matches = (pattern: RegExp, { method, target }: SentRequest) => pattern.test(`${method} ${target}`);

const requests =
  (change: (request: SentRequest) => Partial<SentRequest>): Plant =>
  (next) =>
  (request) =>
    next({ ...request, ...change(request) });
const query = (from: RegExp, to = '') => requests(({ target }) => ({ target: target.replace(from, to) }));
const body = (from: RegExp, to: string) =>
  requests(({ body: sent }) => (typeof sent === 'string' ? { body: sent.replace(from, to) } : {}));
/** The service ignores a header. */
const ignored = (name: string) => requests(({ headers: { [name]: _, ...headers } }) => ({ headers }));

const responses =
  (pattern: RegExp, change: (response: ReceivedResponse) => Partial<ReceivedResponse>): Plant =>
  (next) =>
  async (request) => {
    const response = await next(request);
    return matches(pattern, request) ? { ...response, ...change(response) } : response;
  };
const status = (from: number, to: number) =>
  responses(ANY, (response) => ({ status: response.status === from ? to : response.status }));
const text = (pattern: RegExp, from: RegExp, to: string) =>
  responses(pattern, (response) => ({ text: response.text.replace(from, to) }));
/** Removes a header of each response, or sets it. */
const header = (name: string, value?: string) =>
  responses(ANY, ({ headers: { [name]: _, ...others } }) => ({
    headers: { ...others, ...(value !== undefined && { [name]: value }) },
  }));

/** Each request has the token of the first one: another account, subject or role counts as the same. */
const oneCaller: Plant = (next) => {
  let first: string | undefined;
  return ({ headers, ...request }) => {
    first ??= headers['authorization'];
    return next({
      ...request,
      headers: { ...headers, ...(headers['authorization'] && { authorization: first ?? '' }) },
    });
  };
};

export const faults: readonly Fault[] = [
  ['401 has no challenge', 'Access to each operation', 'no token', header('www-authenticate')],
  ['an unknown parameter is ignored', 'Access to each operation', 'an unknown parameter, acc', query(/\?.*/)],
  ['a scope is not required', 'Tokens, roles and scopes', 'a wildcard', status(403, 200)],
  ['an expired token is accepted', 'Tokens, roles and scopes', 'an exp past', status(401, 200)],
  ['accounts share their members', 'Ids of another account', '/customers/{customer_id}', oneCaller],
  ['accounts share their lists', 'Ids of another account', '/invoices: no row', oneCaller],
  ['users share a subject', 'Conditional rules', 'submitter, an accountant', oneCaller],
  ['a public endpoint needs a token', 'Public endpoints', '/health', status(200, 401)],
  ['the order is ignored', 'Pages by cursor', '/v1/customers by cursor', query(/sort=-id/, 'sort=id')],
  ['a page may have 101 rows', 'Pages by cursor', '/v1/customers: limit', query(/=101/, '=100')],
  ['a page begins too late', 'Pages by number', '/customers by number', query(/([?&])page=2/, '$1page=3')],
  ['a row is counted twice', 'Pages by number', '/customers by number', text(ANY, /("total_count":)5/, '$16')],
  ['an altered cursor is accepted', 'Cursors', 'an altered', status(400, 200)],
  ['a filter is ignored', 'Ids of another account', 'a filter by', query(/\?\w+_id=\d+/)],
  ['created_from is ignored', 'Filters', 'created_from is', query(/created_from=[^&]*&?/)],
  ['a dry run is executed', 'Dry runs', '/customers: the response', query(/\?dry_run=true/)],
  ['any value of dry_run is false', 'Values of dry_run', 'TRUE', query(/\?dry_run=.*/)],
  ['a refused dry run is not marked', 'Refused dry runs', 'invoice-closed', header('dry-run')],
  ['an event names another request', 'Events', 'these members', text(/events/, /("request_id":")/, '$1x')],
  ['sequences have gaps', 'Events', 'each answered', text(/events/, /("sequence":\d+)/, '$10')],
  ['a change has no event', 'Event types', 'PATCH /customers', text(/events/, /"data":\[.*\]/, '"data":[]')],
  ['events of others are listed', 'Events of nothing', 'a counter', query(/resource_id=\d+/)],
  ['expand=resource is ignored', 'Expanded events', 'with fields', query(/&expand=resource/)],
  ['the size of a file is wrong', 'Export files', 'customers as csv', text(ANY, /("size_bytes":)/, '$11')],
  ['an export is created with 201', 'Export jobs', 'POST /exports: 202', status(202, 201)],
  ['21 exports are unfinished', 'Export jobs', 'the 21st', status(429, 202)],
  ['If-Match is ignored', 'Conditional requests', 'If-Match "0"', ignored('if-match')],
  [
    'a 412 omits a changed field',
    'Fields that changed before a 412',
    'an ETag between',
    text(ANY, /"name","tax_id"/, '"name"'),
  ],
  ['If-None-Match is ignored', 'Conditional requests', 'If-None-Match "1", which', ignored('if-none-match')],
  [
    'the changes before a 412 are wrong',
    'Fields that changed before a 412',
    'PATCH /customers',
    text(ANY, /("changed":\[)/, '$1"x",'),
  ],
  [
    'a list by due date is in the order of ids',
    'Lists by due date',
    '/v1/invoices by due date',
    query(/sort=-?due_date/, 'sort=id'),
  ],
  ['the policy is not stated', 'Limits of an account', 'GET /v1/customers, 200', header('ratelimit-policy')],
  ['what is left is not stated', 'Limits of an account', 'many requests', header('ratelimit')],
  ['the first item is lost', 'Items in a new invoice', 'v1, items in POST', body(/("items":\[)\{[^}]*\},/, '$1')],
  ['items are stored twice', 'Requests that create an invoice with items', 'the same key', ignored('idempotency-key')],
  ['expand=items is ignored', 'expand=items', 'v1, expand=items: the', query(/\?expand=items/)],
  ['a cursor fits every order', 'Lists by due date', 'a cursor with another', status(400, 200)],
  ['fields is ignored', 'Fields and expand', '/v1/customers with fields', query(/fields=[^&]*&?/)],
  ['a key has no record', 'Idempotency', 'the same key and body', ignored('idempotency-key')],
  ['any request is a replay', 'Idempotency', 'a different key', header('idempotent-replayed', 'true')],
  ['HEAD has a body', 'Headers of each operation', 'HEAD', responses(/HEAD/, () => ({ text: '{}' }))],
  ['a problem is plain JSON', 'Problems', 'invalid-cursor', header('content-type', 'application/json')],
  ['only the first violation is listed', 'Problems', 'several', text(ANY, /(\[\{[^}]*\}).*\]/, '$1]')],
  ['405 has no Allow', 'Paths and methods', '/invoices with other methods', header('allow')],
  ['a limit is clamped', 'Queries', '?limit=101', query(/=101/, '=100')],
  ['a compressed body is accepted', 'Request bodies', 'a Content-Encoding', ignored('content-encoding')],
  ['deep JSON has another code', 'Request bodies', 'nested deeper', text(ANY, /too-deep/, 'invalid-type')],
  ['browsers guess the media type', 'Response headers', '/health', header('x-content-type-options')],
  ['a change keeps the ETag', 'Customers', 'PATCH of one field', header('etag', '"1"')],
  ['a customer in use is deleted', 'Customers', 'that an invoice names', status(409, 204)],
  ['a paid invoice has an amount due', 'Invoices', 'PATCH of the status', text(ANY, /(_due_cents":)0/, '$11')],
  ['a draft can become paid', 'Refused changes of an invoice', '{"status":"paid"}', status(422, 200)],
  ['the last item is lost', 'Items in a new invoice', 'v1, items in POST', body(/,\{"description":"B"[^{}]*\}/, '')],
  [
    'a refused invoice with items is created',
    'Requests that create an invoice with items',
    'no other',
    status(403, 201),
  ],
  ['a changed item keeps the ETag', 'expand=items', 'a change of an item', header('etag', '"1-1"')],
  ['the quantity does not count', 'Invoice items', 'created, changed', body(/("quantity":)\d+/, '$11')],
  ['a paid invoice gets items', 'Items of an invoice in each state', 'is paid', status(422, 200)],
  ['a payment exceeds the amount due', 'Payments', 'an amount above', body(/701/, '1')],
  ['a refund exceeds its payment', 'Refunds', 'an amount above', body(/101/, '1')],
  ['v2 shows another currency', 'Amounts and currencies', 'a payment: money', text(ANY, /"EUR"/, '"USD"')],
  ['U+0000 is accepted', 'Values of fields', 'description with U+0000', body(/\\u0000/, '')],
  ['the last writer wins', 'Concurrency', '10 writers with the same ETag', ignored('if-match')],
  ['reads show the secret', 'Webhook endpoints', 'the secret: only', text(/GET/, /("secret":)null/, '$1"whsec_x"')],
  ['http is permitted', 'Values of webhook endpoints', 'http://example.com', body(/"http:/, '"https:')],
  ['a delivery has another status', 'Webhook deliveries', 'signed POST', text(ANY, /(_status":)200/, '$1201')],
  ['a test is done at once', 'Webhook endpoints and their deliveries', 'a test: 202', status(202, 200)],
];
