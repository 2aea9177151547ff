import { endpoint } from '#shared/invoicing/declarations.ts';
import { fileKeyOf } from '#shared/invoicing/exports/rules.ts';
import { exportedEntry } from '#shared/invoicing/index.ts';
import { seeOther } from '#shared/platform/http/reply.ts';

/** CONTRACT §9. */
export default endpoint({
  route: 'GET /exports/{export_id}/file',
  summary: "Download an export's file",
  description:
    'Redirects to a download URL, which is valid for five minutes. Follow it without the access token. Also ' +
    'requires the `read` scope of the exported type.',
  scope: 'exports:read',
  uses: { exports: ['get'], downloads: ['url'] },
  returns: { 303: null },
  refuses: ['export-not-ready', 'export-expired'],

  async handle({ path, method, requireScope, now }, { exports, downloads }) {
    const job = await exports.get(path.export_id);
    requireScope(`${exportedEntry(job.type).scope}:read`);
    return seeOther(await downloads.url(fileKeyOf(job, now), `${job.type}-${job.id}.${job.format}`, method));
  },
});
