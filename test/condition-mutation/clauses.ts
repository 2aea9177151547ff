/** One guarded write as DynamoDB is sent it: plain, or as an item of a transaction. */
export interface GuardedWrite {
  readonly kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  readonly input: Guarded;
}

interface Guarded {
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
export const guardedWrites = (command: { readonly input: object }): GuardedWrite[] => {
  const { TransactItems } = command.input as { TransactItems?: Partial<Record<GuardedWrite['kind'], Guarded>>[] };
  const items = TransactItems ?? [{ [plainKind(command)]: command.input as Guarded }];
  return items.flatMap((item) =>
    Object.entries(item)
      .map(([kind, input]) => ({ kind: kind as GuardedWrite['kind'], input }))
      .filter(({ input }) => input.ConditionExpression),
  );
};

const plainKind = (command: object) => command.constructor.name.replace('Command', '') as GuardedWrite['kind'];

/** @throws Error for a clause of an unknown form, which would otherwise go untested */
const clausesOf = ({ ConditionExpression = '' }: Guarded): string[] => {
  const clauses = ConditionExpression.split(/ AND | OR /);
  const unknown = clauses.find((clause) => !CLAUSE.test(clause));
  if (unknown) throw new Error(`No guard can be made of the clause ${unknown}.`);
  return clauses;
};

/** A clause without its placeholders: the attribute itself, and no value. */
const named = (clause: string, { ExpressionAttributeNames = {} }: Guarded): string =>
  clause.replace(/#\w+/, (placeholder) => ExpressionAttributeNames[placeholder] ?? placeholder).replace(/ :\w+$/, '');

/** A count is moved from one member to another: two writes of one form, which differ in the sign. */
const purpose = ({ kind, input }: GuardedWrite): string => {
  const [, placeholder] = /ADD #\w+ (:\w+)/.exec(input.UpdateExpression ?? '') ?? [];
  if (!placeholder) return kind;
  return `${kind} (${Number(input.ExpressionAttributeValues?.[placeholder]) > 0 ? '+1' : '-1'})`;
};

/**
 * The guards of a write, by name: each clause of its condition, and the whole of a condition that has several, for
 * without one of two alternatives a condition only becomes stricter.
 * @param route the endpoint that sends it
 */
export const guardsOf = (route: string, write: GuardedWrite): string[] => {
  const clauses = clausesOf(write.input).map((clause) => named(clause, write.input));
  const all = clauses.length > 1 ? [...clauses, WHOLE] : clauses;
  return all.map((clause) => `${route} | ${write.input.TableName} ${purpose(write)} | ${clause}`);
};

/** Takes a guard out of a write that has it; any other write stays as it is. */
export const drop = (guard: string, route: string, write: GuardedWrite): void => {
  if (!guardsOf(route, write).includes(guard)) return;
  const { input } = write;
  const clauses = clausesOf(input);
  const [first = ''] = clauses;
  const joint = / OR /.test(input.ConditionExpression ?? '') ? ' OR ' : ' AND ';
  const kept = guard.endsWith(WHOLE) ? [] : clauses.filter((clause) => !guard.endsWith(`| ${named(clause, input)}`));
  input.ConditionExpression = kept.length > 0 ? kept.join(joint) : alwaysTrue(first);
  input.ExpressionAttributeNames = used(input.ExpressionAttributeNames, input);
  input.ExpressionAttributeValues = used(input.ExpressionAttributeValues, input);
};

/** A ConditionCheck cannot go without a condition, so that none at all is written as one that always holds. */
const alwaysTrue = (clause: string): string => {
  const name = /#\w+/.exec(clause)?.[0];
  return `attribute_exists(${name}) OR attribute_not_exists(${name})`;
};

/** The placeholders that still occur: DynamoDB refuses others. */
const used = <T>(placeholders: Record<string, T> | undefined, input: Guarded): Record<string, T> | undefined => {
  const texts: readonly string[] =
    `${input.ConditionExpression} ${input.UpdateExpression ?? ''}`.match(/[#:]\w+/g) ?? [];
  const kept = Object.entries(placeholders ?? {}).filter(([placeholder]) => texts.includes(placeholder));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
};
