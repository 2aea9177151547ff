import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { changeOf, type Subject, updateOf } from '#shared/platform/commit/change.ts';
import type { Change, ConditionFailure, Write } from '#shared/platform/commit/write.ts';
import { checkOf, type DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { type Clause, Expression } from '#shared/platform/dynamodb/expression.ts';
import {
  changedAttributes,
  dueIndex,
  indexKeys,
  type NamedTable,
  readRow,
  unchangedClause,
} from '#shared/platform/dynamodb/table.ts';
import type { Entity, VersionedId } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { PageIndex } from '#shared/platform/store/page-index/page-index.ts';
import { removalWrites } from '#shared/platform/store/page-index/writes.ts';
import type { CountAttributes, CountMove } from './count.ts';
import { findCommittedRows, findRows } from './find-rows.ts';
import { readIndexedPage } from './indexed-page.ts';
import {
  type Attribute,
  type Page,
  type PageRequest,
  PLACE,
  type Projected,
  type Removable,
  type UniqueValue,
  type Values,
} from './page.ts';
import { PageReader } from './page-reader.ts';
import { type Chunk, type Range, readRows } from './rows.ts';
import { findUnique, type Unique, uniqueWrites } from './unique-values.ts';

/** Limit of the time for counting a page's rows, half of an endpoint's time. After it, the response is 503. */
const MAX_COUNT_MS = 7500;

const PRESENT: Clause = ['id', 'present'];

/** How often a list by a unique value looks for it. */
const MAX_LOOKS = 5;

/** A table with the facts that only its store reads. */
export interface StoreTable extends NamedTable {
  /** Present for a resource whose changes become events (CONTRACT §14). */
  readonly subject?: Subject | undefined;
  readonly unique?: Unique | undefined;
}

/**
 * One account's members of one table: the account is part of every key (§5). Only a member of an indexed resource must
 * be {@link Removable} to be removed.
 */
export class Store<T extends Entity, R extends Partial<Removable> = Partial<Removable>> {
  readonly #context: DynamoContext;
  readonly #table: StoreTable;
  readonly #account: string;

  constructor(context: DynamoContext, table: StoreTable, account: string) {
    this.#context = context;
    this.#table = table;
    this.#account = account;
  }

  get pageIndex(): PageIndex {
    if (!this.#table.isIndexed) throw new Error(`${this.#table.name} has no page index.`);
    return new PageIndex(this.#context, this.#table, this.#account);
  }

  /** Reads these attributes, and id and version; all by default. @throws ProblemError `not-found` */
  async get<K extends Attribute<T>>(id: number, attributes?: readonly K[]): Promise<Projected<T, K>> {
    const member = await this.#read(id, attributes);
    if (!member) throw new ProblemError('not-found');
    return member;
  }

  /** Like {@link get}, for an indexed resource: at the same time, reads the member's place in the page index. */
  async getForRemoval<K extends Attribute<T>>(
    id: number,
    attributes?: readonly K[],
  ): Promise<Projected<T, K> & Removable> {
    const [member, place] = await Promise.all([this.#read(id, attributes), this.pageIndex.findLeaves(id)]);
    if (!member) throw new ProblemError('not-found');
    return { ...member, [PLACE]: place };
  }

  /** @throws ProblemError `not-found` with a detail that names the field of the body */
  async getReferenced(field: string, id: number): Promise<T> {
    const member = await this.#read(id);
    if (!member) throw new ProblemError('not-found', { detail: this.#missingDetail(field) });
    return member;
  }

  async #read(id: number, attributes?: readonly string[]): Promise<T | undefined> {
    const expression = new Expression();
    const { Item } = await this.#context.client.send(
      new GetCommand({
        TableName: this.#context.tableNames[this.#table.name],
        Key: { account_id: this.#account, id },
        ConsistentRead: true,
        ...expression.memberProjection(attributes),
        ...expression.placeholders(),
      }),
    );
    return Item && readRow(this.#table, Item as T, attributes);
  }

  /** The existing members among these ids; one round trip for up to 100. */
  find<K extends Attribute<T>>(
    ids: readonly number[],
    attributes?: readonly K[],
  ): Promise<ReadonlyMap<number, Projected<T, K>>> {
    return findRows<T>(this.#context, this.#table, this.#account, ids, attributes);
  }

  /** Like {@link find}, but does not show a transaction in part: it waits until every item of it is readable. */
  findCommitted(ids: readonly number[]): Promise<ReadonlyMap<number, T>> {
    return findCommittedRows(this.#context, this.#table, this.#account, ids);
  }

  /**
   * Only an endpoint with `list` may read a page by number of an indexed resource. Only such a page counts rows, and only a
   * list without a filter uses the page index.
   */
  list<K extends Attribute<T>>(request: PageRequest<K>): Promise<Page<Projected<T, K>>> {
    const reader = new PageReader<T>(this.#context, this.#table, this.#account);
    if (request.style === 'cursor') {
      if (request.ids) return this.#readIds(request.ids, request.attributes);
      return request.unique ? this.#readUnique(request.unique, request.attributes) : reader.readCursorPage(request);
    }
    const until = Date.now() + MAX_COUNT_MS;
    const usesIndex = this.#table.isIndexed && Object.keys(request.filter).length === 0;
    return usesIndex
      ? readIndexedPage(request, this.pageIndex, reader, until)
      : reader.readCountedPage(request, { until });
  }

  async #readIds<K extends Attribute<T>>(
    ids: readonly number[],
    attributes: readonly K[] | undefined,
  ): Promise<Page<Projected<T, K>>> {
    const found = await this.find(ids, attributes);
    return { rows: [...found.values()].sort((a, b) => a.id - b.id), has_more: false };
  }

  /** Reads the member again if another one has got the value meanwhile. */
  async #readUnique<K extends Attribute<T>>(
    { field, value }: UniqueValue,
    attributes: readonly K[] | undefined,
  ): Promise<Page<Projected<T, K>>> {
    const unique = this.#table.unique as Unique;
    for (let look = 0; look < MAX_LOOKS; look++) {
      const id = await findUnique(this.#context, unique, this.#account, field, value);
      if (id === undefined) return { rows: [], has_more: false };
      const member = (await this.find<K>([id], attributes && [...attributes, field as K])).get(id);
      if (member && Reflect.get(member, field) === value) return { rows: [member], has_more: false };
    }
    throw new ProblemError('unavailable', { detail: 'Other requests kept changing the same resources.' });
  }

  /** The number of members with these values, by an index, which may be stale. */
  count(filter: Values): Promise<number> {
    return new PageReader<T>(this.#context, this.#table, this.#account).count(filter);
  }

  rows(range: Range): AsyncGenerator<Chunk> {
    return readRows(this.#context, this.#table, this.#account, range);
  }

  /** @throws InvalidRowError, like each method that writes fields, for a value that is not valid in its schema */
  insert(member: T): Write[] {
    checkOf(this.#context, this.#table.name)(member);
    const writes = this.append(member).map((write) => ({
      ...write,
      change: changeOf(this.#table.subject, 'created', member),
    }));
    return [...writes, ...this.#uniqueWrites(member.id, undefined, member)];
  }

  /** Puts a row that was checked before, maybe by a newer deployment. It does not record a change of a resource. */
  append(member: T): Write[] {
    const key = { account_id: this.#account, id: member.id };
    return [
      {
        table: this.#table.name,
        key,
        put: { ...key, ...member, ...indexKeys(this.#table, this.#account, member) },
        condition: { clauses: [['id', 'absent']] },
        onConditionFailed: 'id-collision',
      },
    ];
  }

  /** Writes the changed attributes if the version and the `unchanged` attributes outside of it equal `before`. */
  replace(before: T, after: T, unchanged: readonly (keyof T & string)[] = []): Write[] {
    if (before === after) return [];
    const write = this.#update(before, after, ['version', ...unchanged]);
    return [
      { ...write, change: updateOf(this.#table.subject, before, after) },
      ...this.#uniqueWrites(before.id, before, after),
    ];
  }

  /** @param unchanged as in {@link replace} */
  remove<K extends keyof T & string>(member: Projected<T, K> & R, unchanged: readonly K[] = []): Write[] {
    const write = this.#ifUnchanged(member, ['version', ...unchanged], { remove: true });
    const place = member[PLACE];
    return [
      { ...write, change: changeOf(this.#table.subject, 'deleted', member) },
      ...this.#uniqueWrites(member.id, member, undefined),
      ...(place ? removalWrites(this.pageIndex.partitions, member.id, place) : []),
    ];
  }

  /** Like {@link replace}, but also checks the version when nothing has changed. */
  checkVersion(before: T, after: T): Write[] {
    return before === after ? this.check(before) : this.replace(before, after);
  }

  /** Writes nothing. The commit fails if the member no longer has this version, or these values of `unchanged`. */
  check<K extends keyof T & string>(member: VersionedId & Pick<T, K>, unchanged: readonly K[] = []): Write[] {
    return [this.#ifUnchanged(member, ['version', ...unchanged], { check: true })];
  }

  /** Changes attributes that do not belong to the version, if the attributes `unchanged` have their values of `before`. */
  move<K extends keyof T & string>(before: T, after: Pick<T, K>, unchanged: readonly (keyof T & string)[]): Write[] {
    const isSame = Object.keys(after).every((name) => after[name as K] === before[name as K]);
    return isSame ? [] : [this.#update(before, { ...before, ...after }, unchanged)];
  }

  /** Decrements the count of `from` and increments the count of `to`, an id in the body. Versions do not change. */
  moveCount({ count, changes }: CountAttributes<T>, { from, to, field, version }: CountMove): Write[] {
    if (from === to) return [];
    const add = (id: number, number: number, onConditionFailed: ConditionFailure, clause: Clause = PRESENT): Write => ({
      table: this.#table.name,
      key: { account_id: this.#account, id },
      add: { [count]: number, [changes]: 1 },
      condition: { clauses: [clause] },
      onConditionFailed,
    });
    const increment = (id: number): Write =>
      version === undefined
        ? add(id, 1, { code: 'not-found', detail: this.#missingDetail(field) })
        : add(id, 1, 'version-conflict', ['version', '=', version]);
    return [
      ...(from === null ? [] : [add(from, -1, { code: 'internal-error' })]),
      ...(to === null ? [] : [increment(to)]),
    ];
  }

  #uniqueWrites(id: number, before: object | undefined, after: object | undefined): Write[] {
    const { unique } = this.#table;
    return unique ? uniqueWrites(unique, this.#account, id, before, after) : [];
  }

  #update(before: T, after: T, unchanged: readonly (keyof T & string)[]): Write {
    // Writes each index key of `before` that does not follow from `before`: a row that is older than an index lacks its
    // key, and a row that a caller has changed since its read has the key of the read. A new due time leaves the key of
    // the due rows unchanged, but the stored row may have lost both meanwhile.
    const stored: Record<string, unknown> = { ...before };
    const { due } = this.#table;
    const isMoved = due && Reflect.get(before, due) !== Reflect.get(after, due) ? dueIndex(due).partition : undefined;
    const keys = indexKeys(this.#table, this.#account, before);
    for (const [name, key] of Object.entries(keys)) if (stored[name] !== key || name === isMoved) stored[name] = null;
    const update = changedAttributes(stored, { ...after, ...indexKeys(this.#table, this.#account, after) });
    checkOf(this.#context, this.#table.name)(after, [...Object.keys(update.set), ...update.remove]);
    return this.#ifUnchanged(before, unchanged, { update });
  }

  #ifUnchanged(member: VersionedId, attributes: readonly string[], change: Change): Write {
    const { storedBefore } = this.#table;
    const clauses = attributes.map((name) => unchangedClause(name, Reflect.get(member, name), storedBefore?.[name]));
    return {
      table: this.#table.name,
      key: { account_id: this.#account, id: member.id },
      ...change,
      condition: { clauses },
      onConditionFailed: 'version-conflict',
    };
  }

  /** The same detail for a missing member and for a member of another account (CONTRACT §2). */
  #missingDetail(field: string): string {
    return `No ${this.#table.noun} has the id in ${field}.`;
  }
}
