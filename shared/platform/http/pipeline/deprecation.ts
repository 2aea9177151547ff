import { type Endpoint, isPublic } from '#shared/platform/endpoint.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import type { RequestContext } from './context.ts';
import type { Step } from './step.ts';

/** What is announced of a version's end. */
export interface Deprecation {
  /** Since when, or from when on, it should not be used any more. */
  readonly deprecated?: Date;
  /** When it is expected to be gone. */
  readonly sunset?: Date;
}

/** The versions whose end is announced; none by default (CONTRACT §11). */
export type Deprecations = { readonly [V in Version]?: Deprecation };

/** The announcements that there are, each version asked for its own. */
export const toDeprecations = (of: (version: Version) => Deprecation | undefined): Deprecations =>
  Object.fromEntries(VERSIONS.map((version) => [version, of(version)]).filter(([, end]) => end));

/** Announces the end of the request's version: RFC 9745, RFC 8594, and where to go (RFC 5829 §3.5). */
export const deprecationHeaders: Step<Endpoint, { readonly deprecations: Deprecations }> = {
  name: 'deprecation',
  writes: (endpoint) => (isPublic(endpoint) ? [] : ['Deprecation', 'Sunset', 'Link']),
  after: ({ event, response: { headers } }, { deprecations }) => {
    const end = event.version && deprecations[event.version];
    if (!end) return;
    const { deprecated, sunset } = end;
    if (deprecated) headers['deprecation'] = `@${deprecated.getTime() / 1000}`;
    if (sunset) headers['sunset'] = sunset.toUTCString();
    const link = [headers['link'], successorLink(event)].filter(Boolean).join(', ');
    if (link) headers['link'] = link;
  },
};

/** The same path under the next version. The gateway has decoded the path, so that it is encoded again. */
const successorLink = ({ version, rawPath }: RequestContext): string | undefined => {
  const next = VERSIONS[VERSIONS.indexOf(version as Version) + 1];
  return next && `<${encodeURI(rawPath.replace(`/${version}`, `/${next}`))}>; rel="successor-version"`;
};
