/** A part of the OpenAPI document that this page changes. */
export interface OpenApi {
  servers: { url: string }[];
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: Examples }>> };
}
type Values = Readonly<Record<string, unknown>>;
type Examples = Readonly<Record<string, { value: Values }>>;
interface Parameter {
  readonly name: string;
  example?: unknown;
}
interface Member extends Values {
  readonly id: number;
}
type Members = Readonly<Record<string, Member>>;

export const KEY = 'Idempotency-Key';

/** The address in the examples of the documents. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000';

/** The members that suit the examples: an open invoice accepts a payment, and a completed export has a file. */
const FILTERS: Readonly<Record<string, string>> = { invoice_id: 'status=open', export_id: 'status=completed' };

/** The path of each collection in v1 (v2 has the same ids), by the name of the parameter in the paths of its members. */
const collectionsOf = ({ paths }: OpenApi) =>
  Object.keys(paths).flatMap((path) => {
    const [, collection = '', name = ''] = /^\/v\d\/([a-z-]+)\/\{(\w+)\}$/.exec(path) ?? [];
    return name ? [{ collection: `/v1/${collection}`, name }] : [];
  });

/** A member of each collection of an account: the newest that suits the examples, of invoices the one with the most due. */
const findMembers = async (document: OpenApi, token: string): Promise<Members> => {
  const due = (member: Member) => Number(member['amount_due_cents'] ?? 0);
  const find = async (collection: string, filter: string): Promise<Member | undefined> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${collection}?sort=-id&limit=100&${filter}`, { headers });
    const { data = [] } = response.ok ? ((await response.json()) as { data?: Member[] }) : {};
    return data.sort((a, b) => due(b) - due(a))[0];
  };
  const found = collectionsOf(document).map(async ({ collection, name }) => {
    const filter = FILTERS[name];
    return [name, (filter && (await find(collection, filter))) || (await find(collection, ''))] as const;
  });
  return Object.fromEntries((await Promise.all(found)).flatMap(([name, member]) => (member ? [[name, member]] : [])));
};

/** The ids for the parameters of a path. The members on the path of a nested list belong together. */
const pathExamples = (path: string, members: Members): Values => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const last = members[names.at(-1) ?? ''];
  return Object.fromEntries(names.map((name) => [name, last?.[name] ?? members[name]?.id]));
};

const fillParameters = (parameters: readonly Parameter[], examples: Values): void => {
  for (const parameter of parameters) parameter.example = examples[parameter.name] ?? parameter.example;
};

const withIds = (value: Values, members: Members): Values =>
  Object.fromEntries(Object.entries(value).map(([name, given]) => [name, given && (members[name]?.id ?? given)]));

/** Parses the document, with this address, this key, and the ids of existing members in its examples. */
export const fillIn = async (text: string, token: string, key: string): Promise<OpenApi> => {
  const document = JSON.parse(text.replaceAll(EXAMPLE_ADDRESS, location.origin)) as OpenApi;
  document.servers = [{ url: location.origin }];
  const members = token ? await findMembers(document, token) : {};
  fillParameters(Object.values(document.components.parameters), { [KEY]: key });
  for (const [path, operations] of Object.entries(document.paths))
    for (const { parameters = [], requestBody } of Object.values(operations)) {
      fillParameters(parameters, { [KEY]: key, ...pathExamples(path, members) });
      for (const { examples = {} } of Object.values(requestBody?.content ?? {}))
        for (const example of Object.values(examples)) example.value = withIds(example.value, members);
    }
  return document;
};
