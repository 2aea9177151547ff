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

/** What is due of an invoice, and what can be refunded of a payment. */
const leftOf = ({ amount_due_cents, amount_cents, amount_refunded_cents, status }: Member): number =>
  status === 'voided' ? 0 : Number(amount_due_cents ?? Number(amount_cents ?? 0) - Number(amount_refunded_cents ?? 0));

/**
 * A member of each collection of an account: the newest that suits the examples, of invoices and payments the one with the
 * most left. `draft` is an invoice that can still change, and the item is one of its items.
 */
const findMembers = async (text: string, token: string): Promise<Members> => {
  const headers = { authorization: `Bearer ${token}` };
  const find = async (collection: string, filter: string): Promise<Member | undefined> => {
    // The resources of v2 have the same ids.
    const response = await fetch(`/v1/${collection}?sort=-id&limit=100&${filter}`, { headers });
    const { data = [] } = response.ok ? ((await response.json()) as { data?: Member[] }) : {};
    return data.sort((a, b) => leftOf(b) - leftOf(a))[0];
  };
  const draft = (await find('invoices', 'status=draft')) ?? {};
  const filters: typeof FILTERS = draft['id'] ? { ...FILTERS, 'invoice-items': `invoice_id=${draft['id']}` } : FILTERS;
  const found = [...text.matchAll(MEMBER_PATHS)].map(async ([, collection = '', name]) => {
    const filter = filters[collection];
    const suitable = filter && (await find(collection, filter));
    return [name, suitable || (await find(collection, '')) || {}];
  });
  const members: Members = Object.fromEntries(await Promise.all(found));
  return { ...members, draft, series_id: members['number_series_id'] ?? {} };
};

/** What the amounts and currencies in the examples of a path refer to, by the name of the member. */
const subjectOf = (path: string): string => {
  if (/\/invoices\/\{\w+\}$|\/invoice-items/.test(path)) return 'draft';
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
    const subject = members[subjectOf(path)] ?? {};
    const own: Members = subject === members['draft'] && subject['id'] ? { ...members, invoice_id: subject } : members;
    paths[path] = fillPart(paths[path], own, subject);
    fillPath(path, paths[path], own);
  }
  return { ...others, servers: [{ url: location.origin }], paths, components: fillPart(components, members) };
};
