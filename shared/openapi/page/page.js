/*
 * Shows the reference. Only a local server offers access tokens: /docs/tokens.json of a deployed service is empty.
 */

import { makeScrollable } from './focus.js';
import { offerOverdue } from './overdue.js';

const DOCUMENT = '/openapi.json';

/** The address in the examples of the guides. */
const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000';

/**
 * These colors of the reference's own theme have too little contrast (WCAG 2.1, 1.4.3), and the theme removes the
 * outline of the element with the focus (2.4.7). It also breaks words in tables, and leaves half of a wide window empty
 * beside the guides.
 */
const STYLE = `
  .light-mode {
    --scalar-color-2: #555;
    --scalar-color-3: #666;
    --scalar-color-accent: #0067a8;
    --scalar-color-blue: #0067a8;
    --scalar-color-green: #006b45;
    --scalar-color-orange: #a84300;
    --scalar-color-red: #c0000a;
    --scalar-color-yellow: #7a5900;
  }
  .dark-mode {
    --scalar-color-3: #a4a4a4;
    --scalar-color-red: #ff7b72;
  }
  #reference :is(pre code, .endpoints):focus-visible {
    outline: 2px solid var(--scalar-color-accent);
    outline-offset: -2px;
  }
  @media (min-width: 1000px) {
    #reference .markdown :is(th, td, td code) {
      word-break: normal;
      overflow-wrap: break-word;
    }
    #reference .introduction-section .section-column:first-child {
      flex: 1.5;
    }
  }
`;

const KEY = 'Idempotency-Key';

/** The key in the examples, new at each load, and the first request with this key. */
const filledIn = { key: crypto.randomUUID(), request: undefined };

/** Gives a request a key of its own if another request was sent with the filled-in key. */
const renewKey = async ({ request }) => {
  if (request.headers.get(KEY) !== filledIn.key) return;
  const sent = `${request.method} ${request.url} ${await request.clone().text()}`;
  filledIn.request ??= sent;
  if (filledIn.request !== sent) request.headers.set(KEY, crypto.randomUUID());
};

/** The page sends requests only to its own origin: no fonts, telemetry or proxy of third parties. */
const OPTIONS = {
  customCss: STYLE,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  defaultOpenFirstTag: false,
  documentDownloadType: 'direct',
  onRequestBuilt: renewKey,
  onLoaded: () => document.querySelector('#loading')?.remove(),
};

/** The members that suit the examples: an open invoice accepts a payment, and a completed export has a file. */
const FILTERS = { invoice_id: 'status=open', export_id: 'status=completed' };

/** How often the page looks whether a request has been closed; the reference does not tell. */
const POLL_MS = 50;

const fetchJson = async (url, headers) => {
  const response = await fetch(url, { headers });
  return response.ok ? response.json() : undefined;
};

/** The path of each collection (the ids are the same in v2), by the name of the parameter in the paths of its members. */
const collectionsOf = ({ paths }) =>
  Object.keys(paths).flatMap((path) => {
    const [, collection, name] = /^(\/v1\/[a-z-]+)\/\{(\w+)\}$/.exec(path) ?? [];
    return collection ? [{ collection, name }] : [];
  });

/**
 * A member of each collection of the token's account: the newest member that suits the examples, of invoices the one
 * with the most to pay; otherwise the newest member.
 */
const findMembers = async (document, token) => {
  const headers = { authorization: `Bearer ${token}` };
  const due = (member) => member.amount_due_cents ?? 0;
  const find = async (collection, filter) => {
    const page = await fetchJson(`${collection}?sort=-id&limit=100&${filter}`, headers);
    return (page?.data ?? []).toSorted((a, b) => due(b) - due(a))[0];
  };
  const found = collectionsOf(document).map(async ({ collection, name }) => {
    const filter = FILTERS[name];
    return [name, (filter && (await find(collection, filter))) ?? (await find(collection, ''))];
  });
  return Object.fromEntries((await Promise.all(found)).filter(([, member]) => member));
};

/** Replaces the ids in an example by the ids of existing members. */
const withIds = (example, members) =>
  Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, value && members[name] ? members[name].id : value]),
  );

/** The ids for the parameters of a path. The members on the path of a nested list belong together. */
const pathExamples = (path, members) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const last = members[names.at(-1)];
  return Object.fromEntries(names.map((name) => [name, last?.[name] ?? members[name]?.id]));
};

const fillParameters = (parameters, examples) => {
  for (const parameter of parameters) {
    const example = examples[parameter.name];
    if (example !== undefined) parameter.example = example;
  }
};

/** Puts the ids of existing members, and a new idempotency key, into the examples of the document. */
const fillExamples = (document, members) => {
  const examples = { [KEY]: filledIn.key };
  fillParameters(Object.values(document.components.parameters), examples);
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { parameters = [], requestBody } of Object.values(operations)) {
      fillParameters(parameters, { ...examples, ...pathExamples(path, members) });
      for (const { examples: bodies = {} } of Object.values(requestBody?.content ?? {}))
        for (const body of Object.values(bodies)) body.value = withIds(body.value, members);
    }
  }
};

/** The document with this page's own address, and with examples for the account of the token. */
const prepare = async (text, token) => {
  const document = JSON.parse(text.replaceAll(EXAMPLE_ADDRESS, location.origin));
  document.servers = [{ url: location.origin }];
  fillExamples(document, token ? await findMembers(document, token) : {});
  return document;
};

const select = document.querySelector('#token');

/** @type {{ destroy(): void, updateConfiguration(configuration: object): void } | undefined} */
let reference;

/** How often the examples were filled in. The reference loads a document again only from another URL. */
let fillings = 0;

/** @param {string} token empty without tokens */
const configurationFor = async (text, token) => {
  const prepared = await prepare(text, token);
  fillings += 1;
  const url = `${DOCUMENT}?${fillings}`;
  return {
    ...OPTIONS,
    url,
    customFetch: (input, init) => (input === url ? Promise.resolve(Response.json(prepared)) : fetch(input, init)),
    authentication: {
      preferredSecurityScheme: 'access_token',
      ...(token && { securitySchemes: { access_token: { token } } }),
    },
    onResponseReceived: ({ request, response }) => {
      if (token && request.method === 'POST' && response.ok) void refill(text, token);
    },
  };
};

const isRequestOpen = () =>
  [...document.querySelectorAll('[role=dialog]')].some((dialog) =>
    dialog.checkVisibility({ visibilityProperty: true }),
  );

/** The last fill-in, which replaces all earlier ones. */
let latest;

/** Fills in the examples again, and shows them when the open request is closed: its values must not change meanwhile. */
const refill = async (text, token) => {
  const filling = configurationFor(text, token);
  latest = filling;
  const configuration = await filling;
  while (isRequestOpen()) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  if (latest === filling && token === select.value) reference.updateConfiguration(configuration);
};

/** @param {string} token empty without tokens */
const show = async (text, token) => {
  const configuration = await configurationFor(text, token);
  // Another token was selected meanwhile.
  if (token !== select.value) return;
  reference?.destroy();
  reference = globalThis.Scalar.createApiReference('#reference', configuration);
};

/** @param {readonly { readonly name: string, readonly token: string }[]} tokens */
const offerTokens = (text, tokens) => {
  for (const { name, token } of tokens) select.append(new Option(name, token));
  select.addEventListener('change', () => show(text, select.value));
  offerOverdue(() => select.value);
  document.querySelector('#tokens').hidden = tokens.length === 0;
};

makeScrollable(document.querySelector('#reference'));
const [text, tokens = []] = await Promise.all([(await fetch(DOCUMENT)).text(), fetchJson('/docs/tokens.json')]);
offerTokens(text, tokens);
await show(text, select.value);
