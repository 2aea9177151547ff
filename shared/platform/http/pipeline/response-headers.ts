import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Exchange, Middleware } from './context.ts';

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** The headers that every response of a kind carries: no browser guesses the type of JSON, no cache stores a write. */
export const responseHeaders = (): Middleware => {
  const stamp = ({ event, response }: { event: Exchange; response: GatewayResult | null | undefined }): void => {
    if (!response) return;
    const { headers } = response;
    if (String(headers['content-type']).includes('json')) headers['x-content-type-options'] = 'nosniff';
    if (WRITES.includes(event.method)) headers['cache-control'] = 'no-store';
  };
  return { name: 'responseHeaders', after: stamp, onError: stamp };
};
