import { endpoint } from '#shared/invoicing/declarations.ts';
import { startDelay } from '#shared/invoicing/exports/range.ts';
import { Export } from '#shared/invoicing/exports/resource.ts';
import { MAX_UNFINISHED, requestExport, TOO_MANY_EXPORTS } from '#shared/invoicing/exports/rules.ts';
import { EXPORT_TYPES, exportedEntry } from '#shared/invoicing/index.ts';
import { accepted } from '#shared/platform/http/reply.ts';

/** CONTRACT §9. */
export default endpoint({
  route: 'POST /exports',
  summary: 'Create an export',
  description:
    `Starts an export: a worker writes a collection of the account to a file. Types: ${EXPORT_TYPES.join(', ')}. Also ` +
    'requires the `read` scope of the exported type.',
  scope: 'exports:write',
  idempotency: 'optional',
  uses: { exports: ['insert'], counters: ['increment'] },
  sendsTo: 'exports',
  body: Export.create,
  scopeOf({ type }) {
    const exported = EXPORT_TYPES.find((name) => name === type);
    return exported && `${exportedEntry(exported).scope}:read`;
  },
  returns: { 202: Export },
  refuses: ['too-many-exports'],

  handle({ body: terms, caller, now, newId }, { exports, counters }) {
    const job = requestExport(terms, { id: newId(), at: now });
    const body = { account_id: caller.account, export_id: job.id };
    const countWrites = counters.increment('unfinished_exports', MAX_UNFINISHED, TOO_MANY_EXPORTS);
    return accepted(job, [...exports.insert(job), ...countWrites], { body, delayMs: startDelay(job, now) });
  },
});
