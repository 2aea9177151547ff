import type { Client, ExportV1 } from '#client/source/index.ts';

/** Downloads the file of an export, and saves it once its digest is right. */
export const saveExport = async (client: Client<'v1'>, { id, type, format }: ExportV1): Promise<undefined> => {
  const url = URL.createObjectURL(await new Response(await client.exports.download(id)).blob());
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: `${type}-${id}.${format}` });
  link.click();
  URL.revokeObjectURL(url);
};
