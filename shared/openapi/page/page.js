/*
 * Shows the reference. Only a local server offers access tokens: /docs/tokens.json of a deployed service is empty.
 */

/** The page sends requests only to its own origin: no fonts, telemetry or proxy of third parties. */
const OPTIONS = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  defaultOpenFirstTag: false,
  documentDownloadType: 'json',
};

/** @param {string | undefined} token */
const authentication = (token) => ({
  preferredSecurityScheme: 'access_token',
  ...(token && { securitySchemes: { access_token: { token } } }),
});

/** @type {{ destroy(): void } | undefined} */
let reference;

/** @param {string | undefined} token */
const show = (token) => {
  reference?.destroy();
  reference = globalThis.Scalar.createApiReference('#reference', { ...OPTIONS, authentication: authentication(token) });
};

/** @param {readonly { readonly name: string, readonly token: string }[]} tokens */
const offerTokens = (tokens) => {
  const form = document.querySelector('#tokens');
  const select = document.querySelector('#token');
  for (const { name, token } of tokens) select.append(new Option(name, token));
  select.addEventListener('change', () => show(select.value));
  form.hidden = tokens.length === 0;
};

const tokens = await (await fetch('/docs/tokens.json')).json();
offerTokens(tokens);
show(tokens[0]?.token);
