import type { GatewayResult } from '#shared/platform/gateway.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';

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

/** Writes `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `successor-version` link (RFC 5829 §3.5). */
export const writeDeprecation = (
  { deprecated, sunset }: Deprecation,
  version: Version,
  rawPath: string,
  headers: GatewayResult['headers'],
): void => {
  if (deprecated) headers['deprecation'] = `@${deprecated.getTime() / 1000}`;
  if (sunset) headers['sunset'] = sunset.toUTCString();
  const link = [headers['link'], successorLink(version, rawPath)].filter(Boolean).join(', ');
  if (link) headers['link'] = link;
};

/** The same path under the next version, encoded again because the gateway has decoded it. */
const successorLink = (version: Version, rawPath: string): string | undefined => {
  const next = VERSIONS[VERSIONS.indexOf(version) + 1];
  return next && `<${encodeURI(rawPath.replace(`/${version}`, `/${next}`))}>; rel="successor-version"`;
};
