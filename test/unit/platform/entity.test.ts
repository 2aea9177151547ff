import assert from 'node:assert/strict';
import { expect, test } from '@jest/globals';
import { applyMergePatch, nextVersion } from '#shared/platform/entity.ts';
import fc from '#test/support/random/fast-check.ts';
import { copyOf, json } from '#test/unit/invoicing/arbitrary.ts';

/** JSON with maps for objects, so that no member name is special to JavaScript. */
type Tree = null | boolean | number | string | readonly unknown[] | Map<string, Tree>;

const tree = (value: unknown): Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value).map(([name, entry]) => [name, tree(entry)]))
    : (value as Tree);

const value = (of: Tree): unknown =>
  of instanceof Map ? Object.fromEntries([...of].map(([name, entry]) => [name, value(entry)])) : of;

/** The pseudo code of RFC 7396 §2. */
const mergePatch = (target: Tree | undefined, patch: Tree): Tree => {
  if (!(patch instanceof Map)) return patch;
  const result: Map<string, Tree> = target instanceof Map ? new Map(target) : new Map();
  for (const [name, entry] of patch) {
    if (entry === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), entry));
  }
  return result;
};

const patchField = (target: unknown, patch: unknown): unknown =>
  applyMergePatch<{ field: unknown }, { field: unknown }>({ field: target }, { field: patch }).field;

test('any patch of nested members: merged as by the pseudo code of RFC 7396 [CONTRACT §4]', () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      assert.deepEqual(patchField(target, patch), value(mergePatch(tree(target), tree(patch))));
    }),
    { numRuns: 1000 },
  );
});

test('fields that a patch does not name, and both arguments: unchanged (RFC 7396) [CONTRACT §4]', () => {
  fc.assert(
    fc.property(json, json, json, (target, other, patch) => {
      const before = { field: target, other };
      const copies = copyOf([before, patch]);
      assert.deepEqual(applyMergePatch<{ field: unknown }, typeof before>(before, { field: patch }).other, other);
      assert.deepEqual([before, patch], copies);
    }),
  );
});

test('a change of nothing: the same object; any other change: the next version [CONTRACT §4, §7]', () => {
  const at = '2026-11-21T09:30:00.000Z';
  const member = { id: 7, version: 3, created_at: '2025-01-01T00:00:00.000Z', updated_at: '2025-01-01T00:00:00.000Z' };
  fc.assert(
    fc.property(json, json, (one, other) => {
      const before = { ...member, field: one };
      expect(nextVersion(before, copyOf(before), at)).toBe(before);
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      expect(nextVersion(before, { ...before, field: other }, at)).toMatchObject({ id: 7, version: 4, updated_at: at });
    }),
  );
});
