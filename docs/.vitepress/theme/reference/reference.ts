import scalarUrl from '../../../../shared/openapi/scalar/standalone.js?url';
import { fillIn, KEY } from './examples.ts';

export { scalarUrl };

/** What the script of the reference defines. */
declare const Scalar: { createApiReference(element: Element, configuration: object): Instance };
type Instance = Readonly<Record<'destroy' | 'updateConfiguration', (configuration?: object) => void>>;

/** How often the page looks whether a request has been closed; the reference does not tell. */
const POLL_MS = 50;

const isRequestOpen = (): boolean =>
  [...document.querySelectorAll('[role=dialog]')].some((dialog) =>
    dialog.checkVisibility({ visibilityProperty: true }),
  );

/** The key in the examples, new at each load, and the first request with this key. */
const filledIn: { readonly key: string; request?: string } = { key: crypto.randomUUID() };

/** Gives a request a key of its own if another request was sent with the filled-in key. */
const renewKey = async ({ request }: { readonly request: Request }): Promise<void> => {
  if (request.headers.get(KEY) !== filledIn.key) return;
  const sent = `${request.method} ${request.url} ${await request.clone().text()}`;
  filledIn.request ??= sent;
  if (filledIn.request !== sent) request.headers.set(KEY, crypto.randomUUID());
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
  onRequestBuilt: renewKey,
};

/**
 * Shows the reference for an account, and fills in its examples again after each request that creates something.
 * @param token empty without tokens
 * @returns a function that removes the reference
 */
export const showReference = (
  element: Element,
  version: string,
  token: string,
  { onReady, onLoaded, onFailed }: Readonly<Record<'onReady' | 'onLoaded' | 'onFailed', () => void>>,
): (() => void) => {
  const path = `/openapi-${version}.json`;
  const text = fetch(path).then((response) => response.text());
  let instance: Instance | undefined;
  /** The URL of the last update, which replaces all earlier ones; empty at the end. */
  let latest = '';

  /** Waits until the open request is closed: its values must not change meanwhile. */
  const update = async (): Promise<void> => {
    // The reference loads a document again only from another URL.
    const url = `${path}?${crypto.randomUUID()}`;
    latest = url;
    const [filled] = await Promise.all([
      text.then((document) => fillIn(document, token, filledIn.key)),
      import(/* @vite-ignore */ scalarUrl),
    ]);
    while (isRequestOpen()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (latest !== url) return;
    const configuration = {
      ...OPTIONS,
      url,
      customFetch: async (input: string, init: RequestInit) =>
        input === url ? Response.json(filled) : fetch(input, init),
      authentication: {
        preferredSecurityScheme: 'access_token',
        ...(token && { securitySchemes: { access_token: { token } } }),
      },
      onLoaded,
      onResponseReceived: ({ request, response }: { request: Request; response: Response }) => {
        if (token && request.method === 'POST' && response.ok) void update();
      },
    };
    onReady();
    if (instance) instance.updateConfiguration(configuration);
    else instance = Scalar.createApiReference(element, configuration);
  };

  update().catch(onFailed);
  return () => {
    latest = '';
    instance?.destroy();
  };
};
