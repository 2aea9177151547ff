/** A write with a condition: a single command, or an item of a transaction. */
export interface ConditionalWrite {
  readonly kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  readonly input: ConditionalInput;
}

interface ConditionalInput {
  readonly TableName?: string | undefined;
  ConditionExpression?: string | undefined;
  readonly UpdateExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, unknown> | undefined;
}

/** The clause name for all clauses of a condition together. */
const WHOLE = 'whole condition';
const CLAUSE =
  /\(attribute_not_exists\(#\w+\) OR #\w+ = :\w+\)|attribute_(?:not_)?exists\(#\w+\)|#\w+ (?:=|<=|>=) :\w+/g;

/** The writes with a condition in a command; no write in a read. */
export const conditionalWrites = (command: { readonly input: object }): ConditionalWrite[] => {
  const { TransactItems } = command.input as {
    TransactItems?: Partial<Record<ConditionalWrite['kind'], ConditionalInput>>[];
  };
  const items = TransactItems ?? [{ [commandKind(command)]: command.input as ConditionalInput }];
  return items.flatMap((item) =>
    Object.entries(item)
      .map(([kind, input]) => ({ kind: kind as ConditionalWrite['kind'], input }))
      .filter(({ input }) => input.ConditionExpression),
  );
};

const commandKind = (command: object) => command.constructor.name.replace('Command', '') as ConditionalWrite['kind'];

/** @throws Error for a clause of an unknown form, which would otherwise not be tested */
const parseClauses = ({ ConditionExpression = '' }: ConditionalInput): string[] => {
  if (!/^( AND | OR )*$/.test(jointsOf(ConditionExpression)))
    throw new Error(`test/condition-mutation/clauses.ts cannot parse the condition ${ConditionExpression}.`);
  return ConditionExpression.match(CLAUSE) ?? [];
};

/** The text between the clauses of a condition. */
const jointsOf = (condition = ''): string => condition.replace(CLAUSE, '');

/** A clause with the attribute's name instead of its placeholder, and without the value and the alternative `absent`. */
const withoutPlaceholders = (clause: string, { ExpressionAttributeNames = {} }: ConditionalInput): string =>
  clause
    .replace(/^\(.* OR (.*)\)$/, '$1')
    .replace(/#\w+/, (placeholder) => ExpressionAttributeNames[placeholder] ?? placeholder)
    .replace(/ :\w+$/, '');

/** The kind of a write, with the sign of an ADD: a count that moves is two writes, which differ only in the sign. */
const describeKind = ({ kind, input }: ConditionalWrite): string => {
  const [, placeholder] = /ADD #\w+ (:\w+)/.exec(input.UpdateExpression ?? '') ?? [];
  if (!placeholder) return kind;
  return `${kind} (${Number(input.ExpressionAttributeValues?.[placeholder]) > 0 ? '+1' : '-1'})`;
};

/**
 * The names of the clauses that can be removed from a write: each clause of its condition, and the whole condition if
 * it has several, because a condition with one alternative fewer is only stricter.
 * @param route the endpoint that sends the write
 */
export const clauseNames = (route: string, write: ConditionalWrite): string[] => {
  const clauses = parseClauses(write.input).map((clause) => withoutPlaceholders(clause, write.input));
  const all = clauses.length > 1 ? [...clauses, WHOLE] : clauses;
  return all.map((clause) => `${route} | ${write.input.TableName} ${describeKind(write)} | ${clause}`);
};

/**
 * Removes a clause from a write that has it, and leaves other writes unchanged.
 * @returns whether the write had the clause
 */
export const removeClause = (name: string, route: string, write: ConditionalWrite): boolean => {
  if (!clauseNames(route, write).includes(name)) return false;
  const { input } = write;
  const clauses = parseClauses(input);
  const [first = ''] = clauses;
  const joint = / OR /.test(jointsOf(input.ConditionExpression)) ? ' OR ' : ' AND ';
  const isOther = (clause: string) => !name.endsWith(`| ${withoutPlaceholders(clause, input)}`);
  const others = name.endsWith(WHOLE) ? [] : clauses.filter(isOther);
  input.ConditionExpression = others.length > 0 ? others.join(joint) : alwaysTrue(first);
  input.ExpressionAttributeNames = usedPlaceholders(input.ExpressionAttributeNames, input);
  input.ExpressionAttributeValues = usedPlaceholders(input.ExpressionAttributeValues, input);
  return true;
};

/** A condition that is always true, because a ConditionCheck must have a condition. */
const alwaysTrue = (clause: string): string => {
  const name = /#\w+/.exec(clause)?.[0];
  return `attribute_exists(${name}) OR attribute_not_exists(${name})`;
};

/** The placeholders that are still used: DynamoDB rejects unused placeholders. */
const usedPlaceholders = <T>(
  placeholders: Record<string, T> | undefined,
  input: ConditionalInput,
): Record<string, T> | undefined => {
  const texts: readonly string[] =
    `${input.ConditionExpression} ${input.UpdateExpression ?? ''}`.match(/[#:]\w+/g) ?? [];
  const used = Object.entries(placeholders ?? {}).filter(([placeholder]) => texts.includes(placeholder));
  return used.length > 0 ? Object.fromEntries(used) : undefined;
};
