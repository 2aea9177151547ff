export type Attributes = Readonly<Record<string, unknown>>;

export type Clause =
  | readonly [attribute: string, is: 'absent' | 'present']
  | readonly [string, '=' | '<=' | '>=' | 'absent or =', unknown]
  | readonly [string, 'in', readonly unknown[]];

export interface Condition {
  readonly clauses: readonly Clause[];
  /** Whether one clause is enough; by default, all clauses must hold. */
  readonly match?: 'any';
}

interface Update {
  readonly set?: Attributes;
  readonly remove?: readonly string[];
  readonly add?: Attributes;
}

/** Every name and every value of a request gets a placeholder, so no input becomes part of an expression. */
export class Expression {
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, unknown> = {};

  name(attribute: string): string {
    const placeholder = this.#names.get(attribute) ?? `#${this.#names.size}`;
    this.#names.set(attribute, placeholder);
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  condition({ clauses, match }: Condition): string {
    const terms = clauses.map(([attribute, is, value]): string => {
      const name = this.name(attribute);
      if (is === 'absent') return `attribute_not_exists(${name})`;
      if (is === 'present') return `attribute_exists(${name})`;
      if (is === 'in') return `${name} IN (${value.map((each) => this.value(each)).join(', ')})`;
      if (is === 'absent or =') return `(attribute_not_exists(${name}) OR ${name} = ${this.value(value)})`;
      return `${name} ${is} ${this.value(value)}`;
    });
    return terms.join(match ? ' OR ' : ' AND ');
  }

  /** The key condition of a query of the sort keys `from`…`to` in a partition. */
  keysIn(attribute: string, partition: string, from: number | string, to: number | string, sort = 'id'): string {
    const isIn = `${this.name(attribute)} = ${this.value(partition)}`;
    return `${isIn} AND ${this.name(sort)} BETWEEN ${this.value(from)} AND ${this.value(to)}`;
  }

  memberProjection(attributes: readonly string[] | undefined): { ProjectionExpression?: string } {
    return attributes ? { ProjectionExpression: this.projection(['id', 'version', ...attributes]) } : {};
  }

  /** DynamoDB rejects duplicate paths. */
  projection(attributes: readonly string[]): string {
    return [...new Set(attributes)].map((attribute) => this.name(attribute)).join(', ');
  }

  update({ set = {}, remove = [], add = {} }: Update): string {
    const parts = {
      SET: Object.entries(set).map(([attribute, value]) => `${this.name(attribute)} = ${this.value(value)}`),
      ADD: Object.entries(add).map(([attribute, value]) => `${this.name(attribute)} ${this.value(value)}`),
      REMOVE: remove.map((attribute) => this.name(attribute)),
    };
    return Object.entries(parts)
      .flatMap(([verb, terms]) => (terms.length > 0 ? `${verb} ${terms.join(', ')}` : []))
      .join(' ');
  }

  /** DynamoDB rejects empty maps of placeholders. */
  placeholders(): { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: Attributes } {
    const names = [...this.#names].map(([attribute, placeholder]) => [placeholder, attribute]);
    return {
      ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
      ...(Object.keys(this.#values).length > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }
}
