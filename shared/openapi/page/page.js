/**
 * Shows the reference, and offers the tokens that the place gives away: none where the service is deployed, some
 * where it runs on a developer's machine.
 */

/** Everything comes from this address: no fonts, no telemetry, no proxy, nothing of others. */
const OWN = {
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
let shown;

/** @param {string | undefined} token */
const show = (token) => {
  shown?.destroy();
  shown = globalThis.Scalar.createApiReference('#reference', { ...OWN, authentication: authentication(token) });
};

/** @param {readonly { readonly name: string, readonly token: string }[]} tokens */
const offer = (tokens) => {
  const form = document.querySelector('#tokens');
  const select = document.querySelector('#token');
  for (const { name, token } of tokens) select.append(new Option(name, token));
  select.addEventListener('change', () => show(select.value));
  form.hidden = tokens.length === 0;
};

const tokens = await (await fetch('/docs/tokens.json')).json();
offer(tokens);
show(tokens[0]?.token);
