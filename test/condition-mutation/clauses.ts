/** One guarded write as DynamoDB is sent it: plain, or as an item of a transaction. */
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

/** What stands for all the clauses of a condition at once. */
const WHOLE = 'whole condition';
const CLAUSE = /^(attribute_(?:not_)?exists\(#\w+\)|#\w+ (?:=|<=) :\w+)$/;

/** The guarded writes of a command; a read has none. */
export const conditionalWrites = (command: { readonly input: object }): ConditionalWrite[] => {
  const { TransactItems } = command.input as { TransactItems?: Partial<Record<ConditionalWrite['kind'], ConditionalInput>>[] };
  const items = TransactItems ?? [{ [commandKind(command)]: command.input as ConditionalInput }];
  return items.flatMap((item) =>
    Object.entries(item)
      .map(([kind, input]) => ({ kind: kind as ConditionalWrite['kind'], input }))
      .filter(({ input }) => input.ConditionExpression),
  );
};

const commandKind = (command: object) => command.constructor.name.replace('Command', '') as ConditionalWrite['kind'];

/** @throws Error for a clause of an unknown form, which would otherwise go untested */
const parseClauses = ({ ConditionExpression = '' }: ConditionalInput): string[] => {
  const clauses = ConditionExpression.split(/ AND | OR /);
  const unknown = clauses.find((clause) => !CLAUSE.test(clause));
  if (unknown) throw new Error(`No guard can be made of the clause ${unknown}.`);
  return clauses;
};

/** A clause without its placeholders: the attribute itself, and no value. */
const withoutPlaceholders = (clause: string, { ExpressionAttributeNames = {} }: ConditionalInput): string =>
  clause.replace(/#\w+/, (placeholder) => ExpressionAttributeNames[placeholder] ?? placeholder).replace(/ :\w+$/, '');

/** A count is moved from one member to another: two writes of one form, which differ in the sign. */
const describeKind = ({ kind, input }: ConditionalWrite): string => {
  const [, placeholder] = /ADD #\w+ (:\w+)/.exec(input.UpdateExpression ?? '') ?? [];
  if (!placeholder) return kind;
  return `${kind} (${Number(input.ExpressionAttributeValues?.[placeholder]) > 0 ? '+1' : '-1'})`;
};

/**
 * The guards of a write, by name: each clause of its condition, and the whole of a condition that has several, for
 * without one of two alternatives a condition only becomes stricter.
 * @param route the endpoint that sends it
 */
export const clausesOf = (route: string, write: ConditionalWrite): string[] => {
  const clauses = parseClauses(write.input).map((clause) => withoutPlaceholders(clause, write.input));
  const all = clauses.length > 1 ? [...clauses, WHOLE] : clauses;
  return all.map((clause) => `${route} | ${write.input.TableName} ${describeKind(write)} | ${clause}`);
};

/** Takes a guard out of a write that has it; any other write stays as it is. */
export const removeClause = (guard: string, route: string, write: ConditionalWrite): void => {
  if (!clausesOf(route, write).includes(guard)) return;
  const { input } = write;
  const clauses = parseClauses(input);
  const [first = ''] = clauses;
  const joint = / OR /.test(input.ConditionExpression ?? '') ? ' OR ' : ' AND ';
  const kept = guard.endsWith(WHOLE) ? [] : clauses.filter((clause) => !guard.endsWith(`| ${withoutPlaceholders(clause, input)}`));
  input.ConditionExpression = kept.length > 0 ? kept.join(joint) : alwaysTrue(first);
  input.ExpressionAttributeNames = usedPlaceholders(input.ExpressionAttributeNames, input);
  input.ExpressionAttributeValues = usedPlaceholders(input.ExpressionAttributeValues, input);
};

/** A ConditionCheck cannot go without a condition, so that none at all is written as one that always holds. */
const alwaysTrue = (clause: string): string => {
  const name = /#\w+/.exec(clause)?.[0];
  return `attribute_exists(${name}) OR attribute_not_exists(${name})`;
};

/** The placeholders that still occur: DynamoDB refuses others. */
const usedPlaceholders = <T>(placeholders: Record<string, T> | undefined, input: ConditionalInput): Record<string, T> | undefined => {
  const texts: readonly string[] =
    `${input.ConditionExpression} ${input.UpdateExpression ?? ''}`.match(/[#:]\w+/g) ?? [];
  const kept = Object.entries(placeholders ?? {}).filter(([placeholder]) => texts.includes(placeholder));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
};
