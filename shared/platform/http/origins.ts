/** The origins whose pages may call the service (CONTRACT §10). */
export interface Origins {
  readonly patterns: readonly string[];
  readonly allowsAny: boolean;
  readonly allows: (origin: string) => boolean;
}

/**
 * @returns undefined if a pattern is neither `*`, `null`, an origin as browsers send it, nor an origin whose host begins
 * with `*.`
 */
export const parseOrigins = (patterns: readonly string[]): Origins | undefined => {
  const checks = patterns.map(parseOrigin).filter((check) => check !== undefined);
  if (checks.length < patterns.length) return undefined;
  const allowsAny = patterns.includes('*');
  return { patterns, allowsAny, allows: (origin) => checks.some((check) => check(origin)) };
};

/** One or more labels, in the place of `*`. */
const LABELS = '(?:[a-z0-9_-]+\\.)+';
const WILDCARD = /^([a-z][a-z0-9+.-]*:\/\/)\*\.(.+)$/;

const parseOrigin = (pattern: string): Origins['allows'] | undefined => {
  if (pattern === '*') return () => true;
  const [, scheme = '', parent = ''] = WILDCARD.exec(pattern) ?? [];
  if (scheme === '') return pattern === 'null' || isOrigin(pattern) ? (origin) => origin === pattern : undefined;
  if (!isOrigin(`${scheme}a.${parent}`)) return undefined;
  const subdomains = new RegExp(`^${escapeRegExp(scheme)}${LABELS}${escapeRegExp(parent)}$`);
  return (origin) => subdomains.test(origin);
};

/** Apps have origins with schemes of their own, such as `capacitor://localhost`. */
const isOrigin = (text: string): boolean => {
  const { protocol = '', host = '', origin } = URL.parse(text) ?? {};
  const hasOwnScheme = origin === 'null' && `${protocol}//${host}` === text;
  return host !== '' && !host.includes('*') && (origin === text || hasOwnScheme);
};

const escapeRegExp = (text: string): string => text.replaceAll(/[.+]/g, '\\$&');
