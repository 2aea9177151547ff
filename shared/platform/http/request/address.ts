type Headers = Readonly<Record<string, string | undefined>>;

const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/** The path of the metadata of RFC 9728, which a 401 names. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The address at which the client has called the service: the shared cache passes on its own host (docs/deploy.md). */
export const addressOf = ({
  host = '',
  'x-forwarded-host': edge = host,
  'x-forwarded-proto': scheme,
}: Headers): string => `${scheme === 'http' ? 'http' : 'https'}://${HOST.test(edge) ? edge : host}`;
