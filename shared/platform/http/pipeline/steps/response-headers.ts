import { type Endpoint, isPublic } from '#shared/platform/http/endpoint.ts';
import type { RequestContext, Step } from '#shared/platform/http/pipeline/steps/step.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';

/** The request id, and the headers that follow from the body. */
export const responseHeaders: Step<Endpoint> = {
  name: 'responseHeaders',
  writes: ['X-Request-Id'],
  after: ({ event, response }) => {
    const { body, isBase64Encoded, headers } = response;
    headers['x-request-id'] = event.requestId;
    // Stops browsers from guessing the media type of JSON.
    if (String(headers['content-type']).includes('json')) headers['x-content-type-options'] = 'nosniff';
    // HEAD: the headers of GET without the body (RFC 9110 §9.3.2).
    if (event.method !== 'HEAD' || body === undefined) return;
    headers['content-length'] = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
    response.body = '';
    response.isBase64Encoded = false;
  },
};

export interface Deprecation {
  /** The date from which clients should not use the version; may be past or future. */
  readonly deprecated?: Date;
  readonly sunset?: Date;
}

/** The deprecated versions. By default, no version is deprecated (CONTRACT §11). */
export type Deprecations = { readonly [V in Version]?: Deprecation };

export const toDeprecations = (deprecationOf: (version: Version) => Deprecation | undefined): Deprecations =>
  Object.fromEntries(
    VERSIONS.map((version) => [version, deprecationOf(version)]).filter(([, deprecation]) => deprecation),
  );

/** Sends `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `successor-version` link (RFC 5829 §3.5). */
export const deprecationHeaders: Step<Endpoint, { readonly deprecations: Deprecations }> = {
  name: 'deprecation',
  writes: (endpoint) => (isPublic(endpoint) ? [] : ['Deprecation', 'Sunset', 'Link']),
  after: ({ event, response: { headers } }, { deprecations }) => {
    const deprecation = event.version && deprecations[event.version];
    if (!deprecation) return;
    const { deprecated, sunset } = deprecation;
    if (deprecated) headers['deprecation'] = `@${deprecated.getTime() / 1000}`;
    if (sunset) headers['sunset'] = sunset.toUTCString();
    const link = [headers['link'], successorLink(event)].filter(Boolean).join(', ');
    if (link) headers['link'] = link;
  },
};

/** The same path under the next version, encoded again because the gateway has decoded it. */
const successorLink = ({ version, rawPath }: RequestContext): string | undefined => {
  const next = VERSIONS[VERSIONS.indexOf(version as Version) + 1];
  return next && `<${encodeURI(rawPath.replace(`/${version}`, `/${next}`))}>; rel="successor-version"`;
};
