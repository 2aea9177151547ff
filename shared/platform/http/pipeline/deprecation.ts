import type { GatewayResult } from '#shared/platform/gateway.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import type { Exchange, Middleware } from './context.ts';

/** What is announced of a version's end. */
export interface End {
  /** Since when, or from when on, it should not be used any more. */
  readonly deprecated?: Date;
  /** When it is expected to be gone. */
  readonly sunset?: Date;
}

/** The versions whose end is announced; none by default (CONTRACT §11). */
export type Ends = { readonly [V in Version]?: End };

/** The announcements that there are, each version asked for its own. */
export const endsOf = (of: (version: Version) => End | undefined): Ends =>
  Object.fromEntries(VERSIONS.map((version) => [version, of(version)]).filter(([, end]) => end));

/** The same path under the next version. The gateway has decoded the path, so that it is encoded again. */
const successorOf = ({ version, rawPath }: Exchange): string | undefined => {
  const next = VERSIONS[VERSIONS.indexOf(version as Version) + 1];
  return next && `<${encodeURI(rawPath.replace(`/${version}`, `/${next}`))}>; rel="successor-version"`;
};

/** Announces the end of the request's version: RFC 9745, RFC 8594, and where to go (RFC 5829 §3.5). */
export const announce = (ends: Ends): Middleware => {
  const stamp = ({ event, response }: { event: Exchange; response: GatewayResult | null | undefined }) => {
    const end = event.version && ends[event.version];
    if (!response || !end) return;
    const { deprecated, sunset } = end;
    if (deprecated) response.headers['deprecation'] = `@${deprecated.getTime() / 1000}`;
    if (sunset) response.headers['sunset'] = sunset.toUTCString();
    const link = [response.headers['link'], successorOf(event)].filter(Boolean).join(', ');
    if (link) response.headers['link'] = link;
  };
  return { name: 'announce', after: stamp, onError: stamp };
};
