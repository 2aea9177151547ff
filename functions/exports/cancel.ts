import { endpoint } from '#shared/invoicing/declarations.ts';
import { Export } from '#shared/invoicing/exports/resource.ts';
import { cancelExport } from '#shared/invoicing/exports/rules.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** CONTRACT §12. */
export default endpoint({
  route: 'POST /exports/{export_id}/cancel',
  summary: 'Cancel an export',
  description:
    'Cancels an export that is `pending` or `running`; it then has no file. If the export is already canceled, ' +
    'nothing changes.',
  scope: 'exports:write',
  idempotency: 'optional',
  uses: { exports: ['get', 'replace'], counters: ['decrement'] },
  ifMatch: Export,
  returns: { 200: Export },
  refuses: ['export-not-cancelable'],

  async handle({ path, checkPreconditions, now }, { exports, counters }) {
    const before = checkPreconditions(await exports.get(path.export_id));
    const after = cancelExport(before, now);
    const countWrites = after === before ? [] : counters.decrement('unfinished_exports');
    return ok(after, [...exports.replace(before, after), ...countWrites]);
  },
});
