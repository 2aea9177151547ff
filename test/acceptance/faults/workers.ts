import type { FaultsByFile } from './fault.ts';

export const workers: FaultsByFile = {
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
  'shared/platform/events/outbox-row.ts': [
    [
      'an event names another request',
      'put: { ...key, changes, actor, request_id },',
      'put: { ...key, changes, actor, request_id: actor },',
    ],
  ],
  'shared/platform/events/outbox.ts': [
    ['sequences begin at 0', 'sequence: sequence + i + 1 }', 'sequence: sequence + i }'],
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
  'shared/invoicing/exports/lines.ts': [
    ['a formula is not escaped', "FORMULA.test(text) ? `'${text}` : text", 'text'],
    ['quotes in a cell are not doubled', '`"${plain.replaceAll(\'"\', \'""\')}"`', '`"${plain}"`'],
    ['lines end with LF', "`${cells.join(',')}\\r\\n`", "`${cells.join(',')}\\n`"],
  ],
  'shared/invoicing/exports/range.ts': [
    [
      'the file contains no recent rows',
      'latest + CLOCK_MS * IDS_PER_MILLISECOND',
      'latest - 50_000 * IDS_PER_MILLISECOND',
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
  'shared/platform/files/presigned-downloads.ts': [
    ['a download URL is valid for a day', 'const EXPIRES_S = 300;', 'const EXPIRES_S = 86_400;'],
  ],
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
    ['user info is permitted', 'if (USER_INFO.test(url))', 'if (parsed.username && parsed.password)'],
    ['a URL with white space is permitted', 'if (AMBIGUOUS_CHARACTER.test(url))', "if (url.includes('\\0'))"],
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
    ['the deliveries of a deleted endpoint stay pending', 'endpoint ? resume : cancel', 'resume'],
  ],
};
