/** A resource of an account, by its fields. */
type Member = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, Member>>;
/** A part of a path in the OpenAPI document. */
type Operations = Readonly<Record<string, { readonly parameters?: { readonly name: string; example?: unknown }[] }>>;

export const KEY = 'Idempotency-Key';

/** The address in the examples of the documents. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000';

/** The paths of members in the document, with the name of their collection and of their parameter. */
const MEMBER_PATHS = /"\/v\d\/([a-z-]+)\/\{(\w+)\}":/g;

/** The members that suit the examples: an open invoice accepts a payment, and a completed export has a file. */
const FILTERS: Readonly<Record<string, string>> = {
  invoices: 'status=open',
  exports: 'status=completed',
  'number-series': 'status=active',
};

/** What is due of an open invoice, and what can be refunded of a payment; 0 for others. */
const leftOf = ({ amount_due_cents, amount_cents, amount_refunded_cents, status }: Member): number => {
  if (status === 'draft' || status === 'voided') return 0;
  return Number(amount_due_cents ?? Number(amount_cents ?? 0) - Number(amount_refunded_cents ?? 0));
};

/**
 * A member of each collection of an account: the newest that suits the examples, of invoices and payments the one with the
 * most left. Besides, two invoices that can still change: `draft` without items if there is one, `itemized` with items.
 */
const findMembers = async (text: string, token: string): Promise<Members> => {
  const headers = { authorization: `Bearer ${token}` };
  const list = async (collection: string, filter = ''): Promise<Member[]> => {
    // The resources of v2 have the same ids.
    const response = await fetch(`/v1/${collection}?sort=-id&limit=100&${filter}`, { headers });
    return response.ok ? (await response.json()).data : [];
  };
  const found = [...text.matchAll(MEMBER_PATHS)].map(async ([, collection = '', name]) => {
    const filter = FILTERS[collection];
    const suitable = filter ? await list(collection, filter) : [];
    const rows = suitable.length > 0 ? suitable : await list(collection);
    return [name, rows.sort((a, b) => leftOf(b) - leftOf(a))[0] ?? {}];
  });
  const drafts = (await list('invoices', 'status=draft')).slice(0, 10);
  const ids = drafts.map(({ id }) => id);
  const items = ids.length > 0 ? await list('invoice-items', `invoice_id=${ids}`) : [];
  const hasItems = ({ id }: Member) => items.some(({ invoice_id }) => invoice_id === id);
  const [draft = {}] = drafts.toSorted((a, b) => Number(hasItems(a)) - Number(hasItems(b)));
  const members: Members = Object.fromEntries(await Promise.all(found));
  return {
    ...members,
    ...(items[0] && { invoice_item_id: items[0] }),
    draft,
    itemized: drafts.find(hasItems) ?? draft,
    series_id: members['number_series_id'] ?? {},
  };
};

/** What the amounts and currencies in the examples of a path refer to, by the name of the member. */
const subjectOf = (path: string): string => {
  if (path.includes('/invoice-items')) return 'itemized';
  if (path.endsWith('/invoices/{invoice_id}')) return 'draft';
  if (path.endsWith('/refunds')) return 'payment_id';
  return /\/(payments|credit-notes)$/.test(path) ? 'invoice_id' : '';
};

/** Gives the parameters of a path their ids. The members on the path of a nested list belong together. */
const fillPath = (path: string, operations: Operations, members: Members): void => {
  const last = members[/.*\{(\w+)\}/.exec(path)?.[1] ?? ''];
  for (const { parameters = [] } of Object.values(operations))
    for (const parameter of parameters)
      if (path.includes(`{${parameter.name}}`))
        parameter.example = last?.[parameter.name] ?? members[parameter.name]?.['id'] ?? parameter.example;
};

/** Gives the examples in a part of the document ids of the account, and amounts that its invoice or payment permits. */
const fillPart = <T>(part: T, members: Members, subject: Member = {}): T => {
  const limit = leftOf(subject) || Number.POSITIVE_INFINITY;
  return JSON.parse(JSON.stringify(part), (name, value) => {
    if (name === 'currency' && typeof value === 'string') return subject['currency'] ?? value;
    if (typeof value !== 'number') return value;
    if (/^amount(_cents)?$/.test(name)) return Math.min(value, limit);
    const member = members[name];
    // A credit note needs no series.
    return member && name === 'series_id' ? member['id'] : (member?.['id'] ?? value);
  });
};

/** Parses the document, with this address, this key, and the ids of existing members in its examples. */
export const fillIn = async (text: string, token: string, key: string): Promise<object> => {
  const members = token ? await findMembers(text, token) : {};
  const { paths, components, ...others } = JSON.parse(text.replaceAll(EXAMPLE_ADDRESS, location.origin), (_, value) => {
    if (value?.name === KEY) value.example = key;
    return value;
  });
  for (const path of Object.keys(paths)) {
    const name = subjectOf(path);
    const subject = members[name] ?? {};
    const own = ['draft', 'itemized'].includes(name) && subject['id'] ? { ...members, invoice_id: subject } : members;
    paths[path] = fillPart(paths[path], own, subject);
    fillPath(path, paths[path], own);
  }
  return { ...others, servers: [{ url: location.origin }], paths, components: fillPart(components, members) };
};
