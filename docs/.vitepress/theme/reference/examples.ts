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
const FILTERS: Readonly<Record<string, string>> = { invoices: 'status=open', exports: 'status=completed' };

const dueOf = ({ amount_due_cents: due }: Member): number => Number(due ?? 0);

/** A member of each collection of an account: the newest that suits the examples, of invoices the one with the most due. */
const findMembers = async (text: string, token: string): Promise<Members> => {
  const headers = { authorization: `Bearer ${token}` };
  const find = async (collection: string, filter: string): Promise<Member | undefined> => {
    // The resources of v2 have the same ids.
    const response = await fetch(`/v1/${collection}?sort=-id&limit=100&${filter}`, { headers });
    const { data = [] } = response.ok ? ((await response.json()) as { data?: Member[] }) : {};
    return data.sort((a, b) => dueOf(b) - dueOf(a))[0];
  };
  const found = [...text.matchAll(MEMBER_PATHS)].map(async ([, collection = '', name]) => {
    const filter = FILTERS[collection];
    const suitable = filter && (await find(collection, filter));
    return [name, suitable || (await find(collection, '')) || {}];
  });
  return Object.fromEntries(await Promise.all(found));
};

/** Gives the parameters of a path their ids. The members on the path of a nested list belong together. */
const fillPath = (path: string, operations: Operations, members: Members): void => {
  const last = members[/.*\{(\w+)\}/.exec(path)?.[1] ?? ''];
  for (const { parameters = [] } of Object.values(operations))
    for (const parameter of parameters)
      if (path.includes(`{${parameter.name}}`))
        parameter.example = last?.[parameter.name] ?? members[parameter.name]?.['id'] ?? parameter.example;
};

/** Parses the document, with this address, this key, and the ids of existing members in its examples. */
export const fillIn = async (text: string, token: string, key: string): Promise<object> => {
  const members = token ? await findMembers(text, token) : {};
  return JSON.parse(text.replaceAll(EXAMPLE_ADDRESS, location.origin), (name, value) => {
    if (name === 'servers') return [{ url: location.origin }];
    if (name.startsWith('/v')) fillPath(name, value, members);
    if (value?.name === KEY) value.example = key;
    return typeof value === 'number' ? (members[name]?.['id'] ?? value) : value;
  });
};
