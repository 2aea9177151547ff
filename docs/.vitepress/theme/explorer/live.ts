import { createClient, type EventV1 } from '#client/source/index.ts';
import { isRefused } from './open-view.ts';

const INTERVAL_MS = 2000;

interface Listener {
  /** After each poll. */
  polled(isLive: boolean): void;
  /** After the first poll, which finds the end of the feed: a later change is an event. */
  started(): void;
  event(event: EventV1): void;
  refused(): void;
}

/** Follows the events of the account while the page is visible; returns a function that ends it. */
export const followEvents = (token: string, listener: Listener): (() => void) => {
  const follow = async (signal: AbortSignal): Promise<void> => {
    let isStarted = false;
    const settle = (isLive: boolean): void => {
      if (signal.aborted) return;
      listener.polled(isLive);
      if (!isStarted) listener.started();
      isStarted = true;
    };
    const observed: typeof fetch = async (url, init) => {
      try {
        const response = await fetch(url, init);
        settle(response.ok);
        return response;
      } catch (error) {
        settle(false);
        throw error;
      }
    };
    const client = createClient({ baseUrl: location.origin, token, fetch: observed });
    try {
      for await (const event of client.events.follow({ from: 'now' }, { signal, interval: INTERVAL_MS }))
        listener.event(event);
    } catch (error) {
      if (isRefused(error)) listener.refused();
    }
  };
  let controller = new AbortController();
  const restart = (): void => {
    controller.abort();
    controller = new AbortController();
    if (!document.hidden) void follow(controller.signal);
  };
  document.addEventListener('visibilitychange', restart);
  restart();
  return () => {
    document.removeEventListener('visibilitychange', restart);
    controller.abort();
  };
};
