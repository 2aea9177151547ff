import { fileOf } from '#shared/invoicing/exports/rules.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { seeOther } from '#shared/platform/http/reply.ts';

/** CONTRACT §9. */
export default endpoint({
  route: 'GET /exports/{export_id}/file',
  summary: 'Get an export’s file',
  description: 'Sends the client to where the file can be downloaded from, for five minutes.',
  scope: 'exports:read',
  uses: { exports: ['get'], downloads: ['url'] },
  returns: { 303: null },
  refuses: ['export-not-ready', 'export-expired'],

  async handle({ path, requireScope, now }, { exports, downloads }) {
    const job = await exports.get(path.export_id);
    requireScope(`${job.type}:read`);
    return seeOther(await downloads.url(fileOf(job, now), `${job.type}-${job.id}.${job.format}`));
  },
});
