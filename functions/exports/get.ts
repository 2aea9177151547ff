import { endpoint } from '#shared/invoicing/declarations.ts';
import { startDelay } from '#shared/invoicing/exports/range.ts';
import { Export } from '#shared/invoicing/exports/resource.ts';
import { isUnfinished } from '#shared/invoicing/exports/rules.ts';
import { inProgress, ok } from '#shared/platform/http/reply.ts';

/** CONTRACT §9. */
export default endpoint({
  route: 'GET /exports/{export_id}',
  summary: 'Get an export',
  description:
    'Returns an export with its status. While it is `pending` or `running`, wait `Retry-After` seconds before you' +
    ' read it again.',
  scope: 'exports:read',
  uses: { exports: ['get'] },
  returns: { 200: Export },
  polled: true,

  async handle({ path, projection, now }, { exports }) {
    const job = await exports.get(path.export_id, projection && [...projection, 'status', 'filter']);
    return isUnfinished(job) ? inProgress(job, startDelay(job, now)) : ok(job);
  },
});
