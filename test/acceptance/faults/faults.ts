// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code

/** A mistake in the service: a text of a file, which occurs once, is replaced by another one. */
export type Fault = readonly [what: string, from: string, to: string];

type FaultsByFile = Readonly<Record<string, readonly Fault[]>>;

const ACCESS: FaultsByFile = {
  'shared/platform/http/auth/access-token.ts': [
    ['an expired token is accepted', 'currentDate: new Date(now * 1000)', 'currentDate: new Date(0)'],
    ['a token for another audience is accepted', '      audience,\n', ''],
    ['a token of another issuer is accepted', '      issuer,\n      audience', '      audience'],
    ['a token without an expiry is accepted', "requiredClaims: ['exp']", 'requiredClaims: []'],
    ['a token without a subject is accepted', "typeof sub !== 'string' || sub === ''", 'false'],
    ['an account with other characters is accepted', '/^[A-Za-z0-9_-]{1,64}$/', '/^.{1,64}$/'],
    ['a scope that is no string is ignored', "value === undefined || typeof value === 'string'", 'true'],
  ],
  'shared/platform/http/auth/scopes.ts': [
    ['scope and role are united', 'granted.filter((name) => claimed.includes(name))', '[...granted, ...claimed]'],
    [
      'an unknown role keeps the scopes',
      '(Object.hasOwn(roles, role) && roles[role]) || []',
      'roles[role] ?? claimed ?? []',
    ],
  ],
  'shared/platform/http/pipeline/authenticate.ts': [
    ['anything may follow the token', '=*)$/i', '=*)/i'],
    ['the challenge names no error', 'REALM}, error="invalid_token"`', 'REALM}`'],
    ['a scope is not required', 'if ((caller as Caller).scopes.has(scope)) return;', 'if (scope) return;'],
    ['the challenge names no scope', ', scope="${scope}"`', '`'],
  ],
  'shared/platform/http/pipeline/serve.ts': [
    [
      'the body is read before the token',
      '  authenticate,\n  authorize,\n  contentEncoding,\n  readBody,\n  parseJson,',
      '  contentEncoding,\n  readBody,\n  parseJson,\n  authenticate,\n  authorize,',
    ],
  ],
  'shared/platform/http/pipeline/parse-query.ts': [
    ['expand needs no scope', 'if (expanded.includes(name)) requireScope(event, scope);', ''],
  ],
  'shared/platform/http/pipeline/expand.ts': [
    [
      'expand of events needs no scope',
      "for (const resource of byResource.keys()) requireScope(`${resource.scope}:read` as Product['scope']);",
      '',
    ],
    ['an expanded member does not count in the tag', 'version: member?.version ?? 0', 'version: 1'],
  ],
  'shared/invoicing/roles.ts': [
    ['a clerk may do what an accountant may', 'clerk: CLERK', 'clerk: ACCOUNTANT'],
    ['a viewer lacks a scope', 'viewer: READ,', 'viewer: READ.slice(1),'],
  ],
  'shared/invoicing/policy.ts': [
    [
      'a clerk may not create a payment of exactly the limit',
      'amount_cents > clerkPaymentLimitCents',
      'amount_cents >= clerkPaymentLimitCents',
    ],
    ['a clerk may refund an own payment', "(role === 'clerk' || role === 'accountant')", "role === 'accountant'"],
    ['an accountant may refund an own payment', "role === 'accountant') && sub", "role === 'admin') && sub"],
    ['a machine client is treated as a clerk', "role === 'clerk' && amount_cents", "role !== 'admin' && amount_cents"],
  ],
  'functions/exports/create.ts': [
    ['an export needs no scope for its type', '    requireScope(`${terms.type}:read`);\n', ''],
  ],
  'functions/exports/get-file.ts': [
    ['a file needs no scope for its type', '    requireScope(`${job.type}:read`);\n', ''],
  ],
  'functions/invoices/update.ts': [
    [
      'a clerk may settle any invoice',
      "    permit({ action: 'invoice.settle', resource: { amount_cents: amountSettled(before, body) } });\n",
      '',
    ],
  ],
};

const TENANCY: FaultsByFile = {
  'shared/platform/idempotency/key.ts': [
    ['accounts share the keys of requests', 'key: `${account}#POST', 'key: `#POST'],
    ['paths share the keys of requests', "#POST ${path.replace(/\\/+$/, '')}#${uuid}", '#POST#${uuid}'],
    [
      'a body with another order of members is another body',
      'update(canonicalJson(body))',
      'update(JSON.stringify(body))',
    ],
    ['a key that is no UUID is accepted', '  if (!uuid)\n', "  if (!uuid && header === '')\n"],
    ['the case of a key matters', 'return uuid.toLowerCase();', 'return uuid;'],
    ['a repeat does not return the Location', "['etag', 'location', 'retry-after']", "['etag', 'retry-after']"],
    ['a repeat has another status', 'return { statusCode: record.status, headers', 'return { statusCode: 200, headers'],
    ['a repeat is not marked', ", 'idempotent-replayed': 'true' }", ' }'],
    [
      'another body under the same key gets the first response',
      'if (record.fingerprint !== fingerprint) {',
      'if (record.fingerprint === undefined) {',
    ],
    ['a required key may be absent', 'if (required) throw', 'if (required && header === null) throw'],
  ],
  'shared/platform/idempotency/record.ts': [
    ['a key executes at each repeat', "['key', 'absent'],", "['key', 'absent'],\n      ['key', 'present'],"],
  ],
  'functions/invoices/get-payment.ts': [
    [
      'a payment is found under another invoice',
      'if (payment.invoice_id !== path.invoice_id)',
      'if (payment.invoice_id === 0)',
    ],
  ],
  'functions/invoices/list-payments.ts': [
    [
      'the payments of a missing invoice are an empty list',
      'const { id } = await invoices.get(path.invoice_id, []);',
      'const id = path.invoice_id;',
    ],
  ],
  'shared/platform/http/pipeline/problem.ts': [
    [
      'the problem of a missing resource shows its path',
      'details.detail ?? describeViolations(details.violations) ?? DETAILS[code]',
      "details.detail ?? describeViolations(details.violations) ?? (code === 'not-found' ? requestId : undefined) ?? DETAILS[code]",
    ],
    ['more than 100 violations are listed', 'const MAX_ERRORS = 100;', 'const MAX_ERRORS = 1000;'],
    [
      'problems have the type of JSON',
      "'content-type': 'application/problem+json'",
      "'content-type': 'application/json'",
    ],
    ['the type of a problem is not its address', 'type: `/problems/${code}`', 'type: `${code}`'],
    ['405 has no Allow', "...(details.methods && { allow: details.methods.join(', ') }),", ''],
    ['problems may be stored by caches', ", 'cache-control': 'no-store' };", ' };'],
    ['a 422 lists only the first violation', 'errors }),', 'errors: errors.slice(0, 1) }),'],
  ],
  'shared/platform/data/index-key.ts': [
    [
      'the index of filters is shared by accounts',
      "[account, ...values.map(toKeyPart)].join('#')",
      "values.map(toKeyPart).join('#')",
    ],
  ],
};

const REQUESTS: FaultsByFile = {
  'shared/platform/http/pipeline/parse-body.ts': [
    ['a larger body is accepted', 'const MAX_BODY_BYTES = 262_144;', 'const MAX_BODY_BYTES = 2_621_440;'],
    [
      'any media type is accepted',
      'if (types.includes(type.trim().toLowerCase())',
      'if (types.includes(type.trim().toLowerCase()) || true',
    ],
    ['a compressed body is accepted', 'if (encoding === undefined) return;', 'if (encoding !== null) return;'],
    ['merge-patch+json is refused', "['application/json', 'application/merge-patch+json']", "['application/json']"],
  ],
  'shared/platform/http/pipeline/validate.ts': [
    ['deeper JSON is accepted', 'const MAX_JSON_DEPTH = 32;', 'const MAX_JSON_DEPTH = 64;'],
    [
      'a segment that is no id is a validation error',
      "throw new ProblemError('not-found');\n      return",
      "throw new ProblemError('validation-failed');\n      return",
    ],
    [
      'violations of the query hide those of the body',
      'const body = parseBody(operation, event.body, version, violations);',
      'const body = violations.length > 0 ? undefined : parseBody(operation, event.body, version, violations);',
    ],
  ],
  'shared/platform/http/request/query.ts': [
    ['the last of two equal parameters counts', 'if (parameters.has(name)) repeated.add(name);', ''],
    [
      'an unknown parameter is ignored',
      "violations.push({ parameter, code: 'unknown-parameter', detail: describeUnknown(names, i) });",
      'describeUnknown(names, i + parameter.length);',
    ],
  ],
  'shared/platform/wire/schema.ts': [
    [
      'an unknown member is ignored',
      '!Object.hasOwn(entries, key) && !ignored.includes(key)',
      '!Object.hasOwn(entries, key) && ignored.includes(`${key}?`)',
    ],
    ['U+0000 is accepted', " && !text.includes('\\0')", ''],
    ['30 February is a date', 'day <= SHORTEST_MONTH_DAYS ||', 'day <= 31 ||'],
    ['text is counted in code units', 'text.length <= max || [...text].length <= max', 'text.length <= max'],
  ],
  'shared/platform/http/pipeline/head.ts': [
    [
      'HEAD has a body',
      "if (event.method !== 'HEAD' || body === undefined) return;",
      "if (event.method !== 'HEAD' || body !== null) return;",
    ],
  ],
  'shared/platform/http/pipeline/cors.ts': [
    ['a script cannot read the ETag', "  'ETag',\n", ''],
    ['a script may not send If-Match', "  'If-Match',\n", ''],
  ],
  'shared/platform/http/pipeline/response-headers.ts': [
    [
      'browsers may guess the media type',
      "headers['x-content-type-options'] = 'nosniff';",
      "headers['content-type'] += '';",
    ],
  ],
  'functions/service/fallback.ts': [
    ['a missing version is a missing resource', 'if (!lacksVersion(routes, rawPath))', 'if (rawPath)'],
  ],
  'shared/platform/http/pipeline/dry-run.ts': [
    ['a dry run is not marked', "if (event.isDryRun) response.headers['dry-run'] = 'true';", ''],
  ],
};

const CONDITIONAL: FaultsByFile = {
  'shared/platform/http/request/conditional.ts': [
    ['weak tags do not match If-None-Match', ".map((tag) => tag.replace(/^W\\//, ''))", ''],
    [
      'If-None-Match: * does not match',
      "(header.trim() === '*' || (parseETags(header)?.includes(current) ?? false))",
      '(parseETags(header)?.includes(current) ?? false)',
    ],
    [
      'If-Match compares with a later version, too',
      'if (accepted.includes(String(member.version))) return member;',
      'if (accepted.some((tag) => Number(tag) <= member.version)) return member;',
    ],
    [
      'a malformed If-Match is ignored',
      '  if (!accepted) {',
      '  if (!accepted) return (member) => member;\n  if (!accepted) {',
    ],
  ],
  'shared/platform/http/pipeline/precondition.ts': [
    [
      '412 has no ETag',
      'if (error instanceof ProblemError && error.details.version',
      "if (error instanceof ProblemError && error.code === 'not-found' && error.details.version",
    ],
  ],
  'shared/platform/http/request/cache-control.ts': [
    ['members are cached longer', "'private, max-age=60'", "'private, max-age=600'"],
  ],
  'shared/platform/http/pipeline/respond.ts': [
    ['lists may be cached', "'cache-control': 'private, no-cache'", "'cache-control': 'private, max-age=60'"],
    [
      'the tag does not depend on the expanded member',
      'toETag(member.version, ...embed(member).map((related) => related.version))',
      'toETag(member.version)',
    ],
    ['Location has no version', 'location: `/${version}/${resource.collection}', 'location: `/${resource.collection}'],
    ['a dry run has an id', '...(hasNoId && { id: null })', ''],
    ['a dry run has an ETag', '...(!isDryRun && { etag })', 'etag'],
    ['304 for any If-None-Match', "isNotModified(sent['if-none-match'], etag)", "sent['if-none-match'] !== undefined"],
  ],
  'shared/platform/entity.ts': [
    [
      'a write that changes nothing is a new version',
      'isDeepStrictEqual(before, after) ? before :',
      'before === after ? before :',
    ],
    ['null in a merge patch stays as null', 'if (value === null) result.delete(name);\n    else ', ''],
    ['updated_at stays', 'version: before.version + 1, updated_at: at', 'version: before.version + 1'],
  ],
};

const COLLECTIONS: FaultsByFile = {
  'shared/platform/http/request/pagination.ts': [
    ['a page may have 101 rows', 'max: 100, default: 20', 'max: 101, default: 20'],
    ['pages have 25 rows by default', 'max: 100, default: 20', 'max: 100, default: 25'],
    [
      'a number above the limit is clamped',
      'const number = /^[1-9]\\d{0,15}$/.test(text) ? Number(text) : Number.NaN;',
      'const number = /^[1-9]\\d{0,15}$/.test(text) ? Math.min(max, Number(text)) : Number.NaN;',
    ],
    ['both styles may be mixed', '  if (offset && cursor) {', '  if (offset && cursor && offset === cursor) {'],
    ['a cursor is valid for other accounts', 'JSON.stringify([account, path,', 'JSON.stringify([path,'],
    ['a cursor is valid for other filters', 'Object.entries(filter).sort(), order, ...bounds]', 'order, ...bounds]'],
    ['a cursor is valid for the other order', '.sort(), order, ...bounds]', '.sort(), ...bounds]'],
    ['v2 has offset pages', "...(version === 'v1' ? OFFSET_PARAMETERS : [])", '...(version ? OFFSET_PARAMETERS : [])'],
    [
      'the last page is one too far',
      'Math.max(1, Math.ceil(total_count / per_page))',
      'Math.max(1, Math.floor(total_count / per_page) + 1)',
    ],
    ['links lose the other parameters', '{ ...Object.fromEntries(parameters), ...changes }', '{ ...changes }'],
    [
      'next_cursor is set on the last page',
      'const position = page.has_more ? last?.id : page.position;',
      'const position = last?.id ?? page.position;',
    ],
    ['sort=-id is ignored', "return sort === '-id' ? 'descending' : 'ascending';", "return 'ascending';"],
    [
      'the first page has a link to a page before it',
      'if (number > 1) relations.push',
      'if (number >= 1) relations.push',
    ],
  ],
  'shared/platform/http/request/cursor.ts': [
    [
      'an altered cursor is accepted',
      'isCanonical && digestOf(position, scope).equals(bytes.subarray(ID_BYTES))',
      'bytes.length >= ID_BYTES',
    ],
  ],
  'shared/platform/http/request/field-selection.ts': [
    [
      'an unknown field is ignored',
      'const unknown = names.filter((name) => !allowed.includes(name));',
      'const unknown: string[] = [];',
    ],
  ],
  'shared/platform/data/page-reader.ts': [
    ['a page begins at the row of the cursor', 'Math.max(from, after + 1)', 'Math.max(from, after)'],
    [
      'a page in descending order begins at the row of the cursor',
      'Math.min(before - 1, after - 1)',
      'Math.min(before - 1, after)',
    ],
    [
      'an offset page begins a row too late',
      'const offset = (request.page - 1) * request.per_page;',
      'const offset = (request.page - 1) * request.per_page + (request.page > 1 ? 1 : 0);',
    ],
    [
      'the total does not count the rows after the page',
      'const total_count = offset + rows.length + following.count;',
      'const total_count = offset + rows.length;',
    ],
    [
      'created_before is inclusive',
      '{ first: from, last: before - 1 };\n  return',
      '{ first: from, last: before + 4_095 };\n  return',
    ],
    ['lists are eventually consistent', 'ConsistentRead: !isFiltered', 'ConsistentRead: false'],
    [
      'a filtered row is not checked again',
      'conditions.every(([attribute, value]) => Reflect.get(row, attribute) === value)',
      'conditions.length > 0',
    ],
  ],
  'shared/platform/wire/time.ts': [['the offset of a time is ignored', "(sign === '-' ? -1 : 1) : 0", '0 : 0']],
};

const RULES: FaultsByFile = {
  'shared/invoicing/invoices/rules.ts': [
    [
      'a paid invoice has an amount due',
      'isClosed(invoice) ? 0 : invoice.total_cents - invoice.amount_paid_cents',
      'invoice.total_cents - invoice.amount_paid_cents',
    ],
    ['a draft can become paid', "['draft>open', 'open>paid']", "['draft>open', 'open>paid', 'draft>paid']"],
    ['PUT settles an invoice', "at, ['draft>open']);\n};", "at, ['draft>open', 'open>paid']);\n};"],
    [
      'a closed invoice can be changed',
      'if (isClosed(before)) throw',
      'if (isClosed(before) && isClosed(after) && before.id === 0) throw',
    ],
    ['the currency can change', '(hasPayments(before) || isItemized(before))', 'hasPayments(before)'],
    [
      'the total can be below the payments',
      'if (after.total_cents < before.amount_paid_cents) {',
      'if (after.total_cents < 0) {',
    ],
    [
      'a payment of the total leaves the invoice open',
      'invoice.amount_paid_cents === invoice.total_cents)',
      'invoice.amount_paid_cents > invoice.total_cents)',
    ],
    [
      'an invoice with payments can be canceled',
      "if (invoice.status === 'paid' || hasPayments(invoice)) {",
      "if (invoice.status === 'paid') {",
    ],
    [
      'an invoice settled outside can be deleted',
      "if (invoice.status === 'paid') throw",
      "if (invoice.status === 'canceled') throw",
    ],
    ['PUT without a status makes it open', 'const { status = invoice.status,', "const { status = 'open',"],
    [
      'PUT without a total empties an itemized invoice',
      'isItemized(invoice) ? invoice : {',
      'invoice.id === 0 ? invoice : {',
    ],
  ],
  'shared/invoicing/payments/rules.ts': [
    [
      'a payment may exceed the amount due',
      'if (terms.amount_cents > amount_due_cents) {',
      'if (terms.amount_cents > before.total_cents) {',
    ],
    [
      'a draft accepts a payment',
      "if (before.status !== 'open') {",
      "if (before.status !== 'open' && before.status !== 'draft') {",
    ],
    [
      'a fully refunded payment is partially refunded',
      'amount_refunded_cents < amount_cents',
      'amount_refunded_cents <= amount_cents',
    ],
  ],
  'functions/payments/create.ts': [
    ['the payment does not change the invoice', ', ...invoices.replace(before, invoice)]', ']'],
  ],
  'shared/invoicing/refunds/rules.ts': [
    [
      'a refund may exceed the rest of the payment',
      'amount_cents > amount_refundable_cents)',
      'amount_cents > before.amount_cents)',
    ],
    ['a refund of nothing is accepted', 'amount_cents === 0 || ', ''],
    ['a refund is not counted on its payment', '{ ...before, amount_refunded_cents }', '{ ...before }'],
  ],
  'shared/invoicing/invoice-items/rules.ts': [
    ['an invoice may have 96 items', 'const MAX_ITEMS = 95;', 'const MAX_ITEMS = 96;'],
    [
      'a flat invoice gets an item',
      'invoice.item_ids.length === 0 && invoice.total_cents > 0',
      'invoice.item_ids.length === 0 && invoice.total_cents < 0',
    ],
    ['the quantity does not count', 'quantity * unit_amount_cents', 'unit_amount_cents'],
    [
      'an item moves to another invoice',
      'if (after.invoice_id !== before.invoice_id) refuse',
      'if (after.invoice_id === 0) refuse',
    ],
    [
      'items change after a payment',
      '  if (hasPayments(invoice))\n',
      '  if (hasPayments(invoice) && isClosed(invoice))\n',
    ],
    [
      'a deleted item stays in the total',
      'withTotal(invoice, -itemAmount(item), remaining, at)',
      'withTotal(invoice, 0, remaining, at)',
    ],
  ],
  'shared/invoicing/customers/rules.ts': [
    ['a customer in use can be deleted', 'if (customer.invoice_count > 0) {', 'if (customer.invoice_count > 1) {'],
  ],
  'functions/invoices/delete.ts': [
    [
      'the customer stays in use after the invoice',
      "...customers.moveCount('invoice_count', { from: invoice.customer_id,",
      "...customers.moveCount('invoice_count', { from: null,",
    ],
    [
      'the items of a deleted invoice stay',
      '...invoice.item_ids.flatMap((id) => items.remove(owned.get(id) ?? { id, version: 0 })),',
      '',
    ],
  ],
  'shared/invoicing/metadata/rules.ts': [
    [
      'a patch may add more than 20 pairs',
      'Object.keys(member.metadata).length > METADATA_PAIRS',
      'Object.keys(member.metadata).length > 2 * METADATA_PAIRS',
    ],
  ],
  'shared/platform/wire/money.ts': [
    ['v2 shows the wrong currency', "currency: row['currency'] })", "currency: 'USD' })"],
    [
      'v2 problems point at v1 fields',
      "return version === 'v1' ? `/${field ?? amount}`",
      'return version ? `/${field ?? amount}`',
    ],
  ],
};

const WRITES: FaultsByFile = {
  'shared/platform/data/store.ts': [
    [
      'concurrent changes overwrite each other',
      "const isUnchanged: Clause = ['version', '=', before.version];",
      "const isUnchanged: Clause = ['version', '>=', 1];",
    ],
    [
      'a delete does not notice a change',
      "const clauses = [['version', '=', member.version] as const, ...guards];",
      "const clauses = [['version', '>=', 0] as const];",
    ],
    [
      'reads of a member are eventually consistent and cached',
      'ConsistentRead: true,\n        ...expression.memberProjection',
      'ConsistentRead: false,\n        ...expression.memberProjection',
    ],
    [
      'a reference to a missing customer is accepted',
      "this.#write(id, { add: { [attribute]: number } }, [['id', 'present']], onConditionFailed)",
      "this.#write(id, { add: { [attribute]: number } }, [['id', 'present'], ['id', 'absent']], onConditionFailed)",
    ],
    [
      'the problem of a missing reference names no field',
      'return `No ${this.#table.noun} has the id in ${field}.`;',
      'return `No ${this.#table.noun} has the id.${field && ""}`;',
    ],
  ],
  'shared/platform/data/commit.ts': [
    ['a dry run is stored', 'const actions = isDryRun ? all.map(toCheck) : all;', 'const actions = all;'],
    [
      'a change gives no event',
      'origin && !isDryRun ? [...decided, ...outboxWrites(decided, origin)] : decided',
      'origin && !isDryRun && decided.length > 1 ? [...decided, ...outboxWrites(decided, origin)] : decided',
    ],
  ],
  'shared/platform/http/pipeline/execute.ts': [
    [
      'a refused request occupies its key',
      'error instanceof ProblemError && !NEVER_RECORDED.includes(error.code)',
      'error instanceof TypeError',
    ],
    ['the message of an export is not sent', 'if (reply.message) await binding.send?.(reply.message, deadline);', ''],
    [
      'the actor of an event is the account',
      'actor: (event.caller as Caller).sub',
      'actor: (event.caller as Caller).account',
    ],
  ],
  'shared/platform/data/counters.ts': [
    ['one more than the limit is permitted', "[counter, '<=', limit - 1]", "[counter, '<=', limit]"],
  ],
  'functions/exports/cancel.ts': [
    ['a canceled export stays unfinished', "counters.decrement('unfinished_exports')", '[]'],
  ],
  'functions/webhook-endpoints/delete.ts': [
    ['a deleted endpoint stays counted', ", ...counters.decrement('webhook_endpoints')]", ']'],
  ],
};

const EVENTS: FaultsByFile = {
  'shared/platform/events/change.ts': [
    ['a change of status is an update', "suffix ?? 'updated'", "'updated'"],
    [
      'computed fields are not in changed',
      'return Object.fromEntries([...stored, ...values]);',
      'return Object.fromEntries(stored);',
    ],
    [
      'a deletion gives no event',
      "subject && { ...toChange(subject, 'deleted', member, []), isDeletion: true }",
      'undefined',
    ],
  ],
  'shared/platform/data/outbox.ts': [
    ['sequences begin at 0', 'sequence: sequence + i + 1 }', 'sequence: sequence + i }'],
    ['an event names another request', 'actor, request_id }))', 'actor, request_id: actor }))'],
  ],
  'shared/platform/events/feed.ts': [
    [
      'the feed is read without the waiting changes',
      'const [{ head }, early] = await Promise.all([outbox.publish(events), read()]);',
      'const [head, early] = [{ sequence: 0, last_id: 0 }, await read()];',
    ],
    [
      'the end of the feed has no position',
      'position: head.sequence === 0 ? undefined : positionAfter(page, request)',
      'position: undefined',
    ],
  ],
};

const EXPORTS: FaultsByFile = {
  'shared/invoicing/exports/lines.ts': [
    ['a formula is not escaped', "FORMULA.test(text) ? `'${text}` : text", 'text'],
    ['quotes in a cell are not doubled', '`"${plain.replaceAll(\'"\', \'""\')}"`', '`"${plain}"`'],
    ['lines end with LF', "`${cells.join(',')}\\r\\n`", "`${cells.join(',')}\\n`"],
  ],
  'shared/invoicing/exports/range.ts': [
    [
      'the file contains no rows of the last millisecond',
      ' + IDS_PER_MILLISECOND;',
      ' - 50_000 * IDS_PER_MILLISECOND;',
    ],
    ['created_from is ignored', 'from: toId(created_from, 0)', 'from: toId(undefined, 0)'],
    ['the filter is ignored', "filter: values as Rows['filter']", 'filter: {}'],
  ],
  'shared/invoicing/exports/attempt.ts': [
    ['the size is that of the rest', 'size_bytes: buffer.bytes };', 'size_bytes: 0 };'],
  ],
  'shared/invoicing/exports/rules.ts': [
    [
      'a completed export can be canceled',
      "if (!isUnfinished(job)) throw new ProblemError('export-not-cancelable'",
      "if (job.status === 'failed') throw new ProblemError('export-not-cancelable'",
    ],
    ['21 exports may be unfinished', 'export const MAX_UNFINISHED = 20;', 'export const MAX_UNFINISHED = 21;'],
  ],
  'shared/platform/http/reply.ts': [
    ['an export is created with 201', '  status: 202,\n', '  status: 201,\n'],
    [
      'an unfinished export has no Retry-After',
      'retryAfterMs: Math.max(POLL_MS, delayMs)',
      'retryAfterMs: 0 * delayMs',
    ],
  ],
  'shared/platform/data/presigned-downloads.ts': [
    ['a download URL is valid for a day', 'const EXPIRES_S = 300;', 'const EXPIRES_S = 86_400;'],
  ],
};

const WEBHOOKS: FaultsByFile = {
  'shared/platform/webhooks/signature.ts': [
    ['the signature does not cover the time', 'update(`${id}.${timestamp}.${body}`)', 'update(`${id}.${body}`)'],
  ],
  'shared/invoicing/webhook-deliveries/attempt.ts': [
    ['the id of a message changes with each attempt', ': `evt_${delivery.event_id}`;', ': `evt_${delivery.id}`;'],
    ['410 is an ordinary failure', 'const GONE = 410;', 'const GONE = 499;'],
    ['the response is not stored', 'response_body: answer.body', 'response_body: null'],
  ],
  'shared/invoicing/webhook-endpoints/rules.ts': [
    ['the replaced secret no longer signs', 'const OVERLAP_MS = 24 * 3_600_000;', 'const OVERLAP_MS = 0;'],
    [
      'an endpoint gets every type',
      'event_types.includes(ALL_TYPES) || event_types.includes(type)',
      'event_types.length > 0 || type',
    ],
    ['a rewind of the past is ignored', 'if (sequence >= position) return', 'if (sequence >= 0) return'],
    [
      'an enabled endpoint keeps the reason',
      '{ ...after, disabled_reason: null, ...HEALTHY }',
      '{ ...after, ...HEALTHY }',
    ],
  ],
  'shared/invoicing/webhook-endpoints/resource.ts': [
    ['reads show the secret', '({ new_secret = null }) => new_secret', "({ new_secret = 'whsec_' }) => new_secret"],
  ],
  'shared/platform/webhooks/address.ts': [
    ['private addresses are permitted', "  ['10.0.0.0', 8], // private\n", ''],
    ['the metadata service can be reached', "  ['169.254.0.0', 16], // link-local\n", ''],
    ['user info is permitted', 'if (parsed.username || parsed.password)', 'if (parsed.username && parsed.password)'],
  ],
  'shared/platform/webhooks/post.ts': [
    [
      'a redirect is a success',
      'if (status >= 200 && status < 300) return null;',
      'if (status >= 200 && status < 400) return null;',
    ],
  ],
  'shared/invoicing/webhook-deliveries/rules.ts': [
    [
      'a pending delivery can be tried again',
      "if (delivery.status === 'pending') throw",
      "if (delivery.status === 'canceled') throw",
    ],
  ],
  'shared/invoicing/webhook-deliveries/dispatch.ts': [
    ['a disabled endpoint gets events', "status === 'enabled' && position < end", 'status && position < end'],
    ['an endpoint gets the event of its own creation', 'events.slice(creation + 1)', 'events.slice(creation)'],
  ],
  'shared/invoicing/webhook-deliveries/continue.ts': [
    ['the deliveries of a deleted endpoint stay pending', 'endpoint ? resumeHeld : cancel', 'resumeHeld'],
  ],
};

const GROUPS = [ACCESS, TENANCY, REQUESTS, CONDITIONAL, COLLECTIONS, RULES, WRITES, EVENTS, EXPORTS, WEBHOOKS];

/** The faults that npm run acceptance:faults plants, each with its file. */
export const faults: readonly (readonly [file: string, fault: Fault])[] = GROUPS.flatMap((files) =>
  Object.entries(files).flatMap(([file, list]) => list.map((fault) => [file, fault] as const)),
);
