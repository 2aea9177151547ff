import { requestExport } from '#shared/domain/export.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { accepted } from '#shared/http/reply.ts';
import { Export } from '#shared/wire/export.ts';

/** CONTRACT §9. */
export default endpoint({
  route: 'POST /exports',
  summary: 'Create an export',
  description: "Asks for a file of the account's customers, invoices, payments or refunds, which a worker makes.",
  scope: 'exports:write',
  idempotency: 'optional',
  uses: { exports: ['insert'] },
  sends: 'exports',
  body: Export.create,
  returns: { 202: Export },

  handle({ body, caller, requireScope, now, newId }, { exports }) {
    requireScope(`${body.type}:read`);
    const job = requestExport(body, { id: newId(), at: now });
    return accepted(job, exports.insert(job), { account_id: caller.account, export_id: job.id });
  },
});
