/** A fact about a part of the API. A part with a list has a fact for each item: `query status`, `one of`, `draft`. */
export type Fact = readonly [part: string, text: string, item?: string];

/** A line for each part: `GET /v1/invoices query limit: integer; must match minimum 1; must match maximum 100`. */
export const toLines = (facts: readonly Fact[]): string[] =>
  [...Map.groupBy(facts, ([part]) => part)]
    .map(([part, own]) => {
      const texts = [...Map.groupBy(own, ([, text]) => text)].map(([text, same]) => {
        const items = same.flatMap(([, , item]) => item ?? []);
        return items.length > 0 ? `${text} ${[...new Set(items)].sort().join(', ')}` : text;
      });
      return `${part}: ${texts.join('; ')}`;
    })
    .sort();

/**
 * The groups of responses that a response belongs to: the responses of its version, and the responses with its status.
 */
export const groupsOf = (operation: string, status: string): readonly string[] => {
  const [, version = operation.startsWith('webhook') ? 'webhook' : 'public'] = /^\w+ (\/v\d+)\//.exec(operation) ?? [];
  return [`${version} every response`, `${version} every ${status}`];
};

/** The facts of each part. An item is a part of its own. A fact of a group is a fact of each response in the group. */
export const toFacts = (lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const stated = lines.flatMap(parse);
  const groups = new Map<string, string[]>();
  for (const [operation, text, status = ''] of stated) {
    if (text !== 'responds') continue;
    for (const group of groupsOf(operation, status))
      groups.set(group, [...(groups.get(group) ?? []), `${operation} ${status}`]);
  }
  const facts = new Map<string, Set<string>>();
  const add = (part: string, text: string) => facts.set(part, (facts.get(part) ?? new Set()).add(text));
  for (const [name, text, item] of stated) {
    for (const part of groups.get(name) ?? [name]) {
      add(part, text);
      if (item) add(`${part} ${item}`, 'listed');
    }
  }
  return facts;
};

const parse = (line: string): Fact[] => {
  const [part = '', ...rest] = line.split(': ');
  return rest
    .join(': ')
    .split('; ')
    .flatMap((fact): Fact[] => {
      const [, text, items] = LIST.exec(fact) ?? [];
      return text && items ? items.split(', ').map((item) => [part, text, item]) : [[part, fact]];
    });
};

const LIST = /^(.*\bone of|types|headers|problems|responds) (.+)$/;
