import type { FaultsByFile } from './fault.ts';

export const keysAndWrites: FaultsByFile = {
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
  'shared/platform/http/pipeline/steps/problem.ts': [
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
  'shared/platform/dynamodb/index-key.ts': [
    [
      'the index of filters is shared by accounts',
      "[account, ...values.map(toKeyPart)].join('#')",
      "values.map(toKeyPart).join('#')",
    ],
  ],
  'shared/platform/store/store.ts': [
    [
      'concurrent changes overwrite each other',
      "this.#update(before, after, ['version', ...unchanged])",
      "this.#update(before, after, ['id', ...unchanged])",
    ],
    [
      'a delete does not notice a change',
      "['version', ...unchanged], { remove: true }",
      "['id', ...unchanged], { remove: true }",
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
  'shared/platform/commit/commit.ts': [
    ['a dry run is stored', 'const actions = isDryRun ? all.map(toCheck) : all;', 'const actions = all;'],
    [
      'a change gives no event',
      'origin && !isDryRun ? outboxWrites(',
      'origin && !isDryRun && decided.length > 1 ? outboxWrites(',
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
  'shared/platform/store/counters.ts': [
    ['one more than the limit is permitted', "[counter, '<=', limit - 1]", "[counter, '<=', limit]"],
  ],
  'functions/exports/cancel.ts': [
    ['a canceled export stays unfinished', "counters.decrement('unfinished_exports')", '[]'],
  ],
  'functions/webhook-endpoints/delete.ts': [
    ['a deleted endpoint stays counted', ", ...counters.decrement('webhook_endpoints')]", ']'],
  ],
};
