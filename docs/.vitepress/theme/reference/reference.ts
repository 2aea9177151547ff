import { fillIn, KEY } from './examples.ts';

interface Scalar {
  createApiReference(element: Element, configuration: object): Instance;
}
interface Instance {
  destroy(): void;
  updateConfiguration(configuration: object): void;
}

/** How often the page looks whether a request has been closed; the reference does not tell. */
const POLL_MS = 50;

const isRequestOpen = (): boolean =>
  [...document.querySelectorAll('[role=dialog]')].some((dialog) =>
    dialog.checkVisibility({ visibilityProperty: true }),
  );

/** The key in the examples, new at each load. A request that differs from the first with this key gets its own. */
const createKeys = () => {
  const key = crypto.randomUUID();
  let first: string | undefined;
  const renew = async ({ request }: { readonly request: Request }): Promise<void> => {
    if (request.headers.get(KEY) !== key) return;
    const sent = `${request.method} ${request.url} ${await request.clone().text()}`;
    first ??= sent;
    if (first !== sent) request.headers.set(KEY, crypto.randomUUID());
  };
  return { key, renew };
};

/** The page sends requests only to its own origin: no fonts, telemetry or proxy of third parties. */
const OPTIONS = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideDarkModeToggle: true,
  // The search of the site has K.
  searchHotKey: 'i',
  persistAuth: false,
  defaultOpenFirstTag: false,
  documentDownloadType: 'direct',
};

/**
 * @param text of the OpenAPI document
 * @param onLoaded is called when the reference is visible
 */
export const createReference = (element: HTMLElement, text: string, onLoaded: () => void) => {
  const { key, renew } = createKeys();
  let instance: Instance | undefined;
  /** The last fill-in, which replaces all earlier ones. */
  let latest: unknown;
  /** The reference loads a document again only from another URL. */
  let fillings = 0;

  const configurationFor = async (token: string, isDark: boolean): Promise<object> => {
    const filled = await fillIn(text, token, key);
    fillings += 1;
    const url = `/openapi.json?${fillings}`;
    return {
      ...OPTIONS,
      url,
      forceDarkModeState: isDark ? 'dark' : 'light',
      customFetch: async (input: string, init: RequestInit) =>
        input === url ? Response.json(filled) : fetch(input, init),
      authentication: {
        preferredSecurityScheme: 'access_token',
        ...(token && { securitySchemes: { access_token: { token } } }),
      },
      onLoaded,
      onRequestBuilt: renew,
      onResponseReceived: ({ request, response }: { request: Request; response: Response }) => {
        if (token && request.method === 'POST' && response.ok) void refill(token, isDark);
      },
    };
  };

  /** Fills in the examples again, and shows them when the open request is closed: its values must not change meanwhile. */
  const refill = async (token: string, isDark: boolean): Promise<void> => {
    const filling = configurationFor(token, isDark);
    latest = filling;
    const configuration = await filling;
    while (isRequestOpen()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (latest === filling) instance?.updateConfiguration(configuration);
  };

  const hide = (): void => {
    latest = undefined;
    instance?.destroy();
  };

  const show = async (token: string, isDark: boolean): Promise<void> => {
    const filling = configurationFor(token, isDark);
    latest = filling;
    const configuration = await filling;
    // Another token was selected meanwhile.
    if (latest !== filling) return;
    hide();
    instance = (globalThis as unknown as { Scalar: Scalar }).Scalar.createApiReference(element, configuration);
  };
  return { show, hide };
};
