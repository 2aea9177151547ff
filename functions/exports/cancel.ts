import { cancelExport, isEnding } from '#shared/domain/export.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { Export } from '#shared/wire/export.ts';

/** CONTRACT §12. */
export default endpoint({
  route: 'POST /exports/{export_id}/cancel',
  summary: 'Cancel an export',
  description: 'Cancels an export that is not done; what is already written of its file is dropped.',
  scope: 'exports:write',
  idempotency: 'optional',
  uses: { exports: ['get', 'replace'], counters: ['decrement'] },
  returns: { 200: Export },
  refuses: ['export-not-cancelable'],

  async handle({ path, match, now }, { exports, counters }) {
    const before = match(await exports.get(path.export_id));
    const after = cancelExport(before, now);
    const counted = isEnding(before, after) ? counters.decrement('unfinished_exports') : [];
    return ok(after, [...exports.replace(before, after), ...counted]);
  },
});
