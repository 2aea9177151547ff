import assert from 'node:assert/strict';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { changed, patched } from '#shared/platform/entity.ts';
import { copyOf, json } from './arbitrary.ts';

/** JSON whose objects are maps, so that no name of a member means anything to JavaScript. */
type Tree = null | boolean | number | string | readonly unknown[] | Map<string, Tree>;

const tree = (value: unknown): Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value).map(([name, held]) => [name, tree(held)]))
    : (value as Tree);

const value = (of: Tree): unknown =>
  of instanceof Map ? Object.fromEntries([...of].map(([name, held]) => [name, value(held)])) : of;

/** The pseudo code of RFC 7396 §2, word for word. */
const mergePatch = (target: Tree | undefined, patch: Tree): Tree => {
  if (!(patch instanceof Map)) return patch;
  const result: Map<string, Tree> = target instanceof Map ? new Map(target) : new Map();
  for (const [name, held] of patch) {
    if (held === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), held));
  }
  return result;
};

/** A member's field under a merge patch of that field. */
const merged = (target: unknown, patch: unknown): unknown =>
  patched<{ field: unknown }, { field: unknown }>({ field: target }, { field: patch }).field;

test.each<[unknown, unknown, unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('RFC 7396 appendix A, of a field: %j patched with %j is %j', (target, patch, result) => {
  assert.deepEqual(merged(target, patch), result);
});

test('CONTRACT §4: PATCH takes both media types as RFC 7396: nested members merge as its pseudo code does', () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      assert.deepEqual(merged(target, patch), value(mergePatch(tree(target), tree(patch))));
    }),
    { numRuns: 1000 },
  );
});

test('CONTRACT §4: null clears a nullable field: it becomes null, and is not removed', () => {
  fc.assert(fc.property(json, (target) => assert.equal(merged(target, null), null)));
});

test('RFC 7396: a patch leaves alone what it does not name, and neither argument is changed', () => {
  fc.assert(
    fc.property(json, json, json, (target, other, patch) => {
      const before = { field: target, other };
      const copies = copyOf([before, patch]);
      assert.deepEqual(patched<{ field: unknown }, typeof before>(before, { field: patch }).other, other);
      assert.deepEqual([before, patch], copies);
    }),
  );
});

test('RFC 7396: a merge patch is idempotent', () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const once = merged(target, patch);
      assert.deepEqual(merged(once, patch), once);
    }),
  );
});

test('CONTRACT §4: a patch of nothing changes nothing', () => {
  fc.assert(fc.property(json, (target) => assert.deepEqual(patched({ field: target }, {}), { field: target })));
  fc.assert(
    fc.property(json, (target) => {
      fc.pre(typeof target === 'object' && target !== null && !Array.isArray(target));
      assert.deepEqual(merged(target, {}), target);
    }),
  );
});

test('CONTRACT §4: a change of nothing is the very same member; any other is its next version', () => {
  const at = '2026-11-21T09:30:00.000Z';
  const member = { id: 7, version: 3, created_at: '2025-01-01T00:00:00.000Z', updated_at: '2025-01-01T00:00:00.000Z' };
  fc.assert(
    fc.property(json, json, (one, other) => {
      const before = { ...member, field: one };
      expect(changed(before, copyOf(before), at)).toBe(before);
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      expect(changed(before, { ...before, field: other }, at)).toMatchObject({ id: 7, version: 4, updated_at: at });
    }),
  );
});
