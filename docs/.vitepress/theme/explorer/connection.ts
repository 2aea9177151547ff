import { type Client, createClient, type EventV1 } from '#client/source/index.ts';

/** A client that reports each request with its response, if one arrived. */
export const connect = (token: string, report: (url: string, response?: Response) => unknown): Client<'v1'> =>
  createClient({
    baseUrl: location.origin,
    token,
    fetch: async (url, init) => {
      let response: Response | undefined;
      try {
        response = await fetch(url, init);
        return response;
      } finally {
        if (!init?.signal?.aborted) report(String(url), response);
      }
    },
  });

const INTERVAL_MS = 2000;

/**
 * Follows the events of the account while the page is visible; returns a function that ends it.
 * @param polled called after each poll; after the first one, a later change is an event
 */
export const followEvents = (
  token: string,
  polled: (isFirst: boolean, response?: Response) => void,
  notice: (event: EventV1) => void,
): (() => void) => {
  const follow = async (signal: AbortSignal): Promise<void> => {
    let isFirst = true;
    const client = connect(token, (_, response) => {
      polled(isFirst, response);
      isFirst = false;
    });
    for await (const event of client.events.follow({ from: 'now' }, { signal, interval: INTERVAL_MS })) notice(event);
  };
  let controller = new AbortController();
  const restart = (): void => {
    controller.abort();
    controller = new AbortController();
    // It ends with the signal, or with a problem that `polled` has received.
    if (!document.hidden) follow(controller.signal).catch(() => {});
  };
  document.addEventListener('visibilitychange', restart);
  restart();
  return () => {
    document.removeEventListener('visibilitychange', restart);
    controller.abort();
  };
};
