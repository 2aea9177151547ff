import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Entity } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { DynamoContext } from './client.ts';
import { Expression } from './expression.ts';
import { indexKeys } from './index-key.ts';
import type { Attribute, Page, PageRequest, Projected } from './page.ts';
import { PageReader } from './page-reader.ts';
import { type Chunk, type Range, readRows } from './rows.ts';
import type { NamedTable } from './table.ts';
import type { Attributes, Change, Clause, ConditionFailure, Write } from './write.ts';

/**
 * One account's members of one table: the account is part of every key, so that no other account's row can be
 * reached (§5). Reading methods send; the others are data for the commit.
 */
export class Store<T extends Entity> {
  readonly #engine: DynamoContext;
  readonly #table: NamedTable;
  readonly #account: string;
  readonly #rows: PageReader<T>;

  constructor(engine: DynamoContext, table: NamedTable, account: string) {
    this.#engine = engine;
    this.#table = table;
    this.#account = account;
    this.#rows = new PageReader(engine, table, account);
  }

  /**
   * The member, read with strong consistency.
   * @param attributes the stored attributes to read besides id and version; all without it
   * @throws ProblemError `not-found`, whether it is missing or another account's
   */
  async get<K extends Attribute<T>>(id: number, attributes?: readonly K[]): Promise<Projected<T, K>> {
    const member = await this.#read(id, attributes);
    if (!member) throw new ProblemError('not-found');
    return member;
  }

  /**
   * The member that a field of a body names, read with strong consistency.
   * @throws ProblemError `not-found` with a detail that names the field, whether it is missing or another account's
   */
  async getReferenced(field: string, id: number): Promise<T> {
    const member = await this.#read(id);
    if (!member) throw new ProblemError('not-found', { detail: this.#missing(field) });
    return member;
  }

  async #read(id: number, attributes?: readonly string[]): Promise<T | undefined> {
    const expression = new Expression();
    const { Item } = await this.#engine.client.send(
      new GetCommand({
        TableName: this.#engine.tableNames[this.#table.name],
        Key: this.#key(id),
        ConsistentRead: true,
        ...expression.memberProjection(attributes),
        ...expression.placeholders(),
      }),
    );
    return Item as T | undefined;
  }

  /** Those of the named members that exist, by id, in one round trip for up to 100. */
  find<K extends Attribute<T>>(
    ids: readonly number[],
    attributes?: readonly K[],
  ): Promise<ReadonlyMap<number, Projected<T, K>>> {
    return this.#rows.find(ids, attributes);
  }

  /** A page of the collection (CONTRACT §5). */
  list<K extends Attribute<T>>(request: PageRequest<K>): Promise<Page<Projected<T, K>>> {
    return this.#rows.readPage(request);
  }

  /** The rows of a range of ids, a page at a time, in order and with strong consistency. */
  rows(range: Range): AsyncGenerator<Chunk> {
    return readRows(this.#engine, this.#table.name, this.#account, range);
  }

  insert(member: T): Write[] {
    const put = { ...this.#key(member.id), ...this.#item(member) };
    return [this.#write(member.id, { put }, [['id', 'absent']], 'id-collision')];
  }

  /** Writes what has changed, if the member is still at the version that was read; nothing when nothing has. */
  replace(before: T, after: T): Write[] {
    if (before === after) return [];
    const old = this.#item(before);
    const set: Record<string, unknown> = {};
    const remove: string[] = [];
    for (const [attribute, value] of Object.entries(this.#item(after))) {
      if (isDeepStrictEqual(value, old[attribute])) continue;
      if (value === undefined) remove.push(attribute);
      else set[attribute] = value;
    }
    return [
      this.#write(before.id, { update: { set, remove } }, [['version', '=', before.version]], 'version-conflict'),
    ];
  }

  /** @param unchanged attributes outside of `version` that must be as they were read, too */
  remove(member: T, unchanged: readonly (keyof T & string)[] = []): Write[] {
    const guards = unchanged.map((attribute): Clause => [attribute, '=', member[attribute]]);
    return [
      this.#write(member.id, { remove: true }, [['version', '=', member.version], ...guards], 'version-conflict'),
    ];
  }

  /** Requires that the member is still at the version that was read, and writes what has changed, if anything. */
  checkVersion(before: T, after: T): Write[] {
    if (before !== after) return this.replace(before, after);
    return [this.#write(before.id, { check: true }, [['version', '=', before.version]], 'version-conflict')];
  }

  /** Removes a member that nobody has read, whatever its version. */
  deleteUnread(id: number): Write[] {
    return [this.#write(id, { remove: true }, [['id', 'present']], 'version-conflict')];
  }

  /**
   * Moves one of a count from a member to another, neither of which is read; their versions stay. Nothing when
   * both are the same, or where a side is null.
   * @param move the ids, and the field of the body that names `to`
   */
  moveCount(
    attribute: keyof T & string,
    move: { readonly from: number | null; readonly to: number | null; readonly field: string },
  ): Write[] {
    const { from, to, field } = move;
    if (from === to) return [];
    const add = (id: number, number: number, otherwise: ConditionFailure) =>
      this.#write(id, { add: { [attribute]: number } }, [['id', 'present']], otherwise);
    return [
      ...(from === null ? [] : [add(from, -1, { code: 'internal-error' })]),
      ...(to === null ? [] : [add(to, 1, { code: 'not-found', detail: this.#missing(field) })]),
    ];
  }

  /** The same for a member that is missing and for another account's (CONTRACT §2). */
  #missing(field: string): string {
    return `No ${this.#table.noun} has the id in ${field}.`;
  }

  /** A member with its index keys. */
  #item(member: T): Attributes {
    return { ...member, ...indexKeys(this.#table, this.#account, member) };
  }

  #key(id: number) {
    return { account_id: this.#account, id };
  }

  #write(id: number, change: Change, clauses: readonly Clause[], onConditionFailed: ConditionFailure): Write {
    return {
      table: this.#table.name,
      key: this.#key(id),
      ...change,
      condition: { match: 'all', clauses },
      onConditionFailed,
    };
  }
}
