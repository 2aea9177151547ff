import { ProblemError } from '#shared/platform/problem.ts';
import type { PublicContext, PublicInput, ReadFile } from './endpoint.ts';
import { fileReply } from './file.ts';
import type { PublicReply } from './reply.ts';

/** A file of the documentation site. */
export interface SiteFile {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Compressed with gzip, in base64. */
  readonly content: string;
}

/** The documentation site, which infra/build/site.ts builds. */
export interface Site {
  readonly files: Readonly<Record<string, SiteFile>>;
  /** The sources that `script-src` allows for the scripts in its pages. */
  readonly scripts: readonly string[];
}

/** The file with the site, next to the bundle. */
export const SITE = 'site.json';

/** Sends a file of the site. A page may send requests to the API, which redirects it to the file of an export. */
export const siteReply = async (
  input: PublicInput,
  name: string,
  { read, downloadOrigin }: Pick<PublicContext, 'read' | 'downloadOrigin'>,
): Promise<PublicReply> => {
  const { files, scripts } = await siteOf(read);
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!file) throw new ProblemError('not-found');
  const isPage = file.contentType.startsWith('text/html');
  return fileReply(input, Buffer.from(file.content, 'base64'), {
    'content-type': file.contentType,
    'cache-control': file.cacheControl,
    ...(isPage && { 'content-security-policy': policy(scripts, downloadOrigin()), 'referrer-policy': 'no-referrer' }),
  });
};

const sites = new WeakMap<ReadFile, Promise<Site>>();

const siteOf = (read: ReadFile): Promise<Site> => {
  const site = sites.get(read) ?? read(SITE).then((json) => JSON.parse(json.toString()) as Site);
  sites.set(read, site);
  return site;
};

const policy = (scripts: readonly string[], downloadOrigin: string): string =>
  [
    "default-src 'none'",
    `script-src ${["'self'", ...scripts].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${downloadOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
