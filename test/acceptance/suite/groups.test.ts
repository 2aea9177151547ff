import { expect, test } from '@jest/globals';
import { groups } from '#test/behaviour/groups.ts';

test('the titles of a group’s checks and the names of groups: are unique', () => {
  const titles = groups.flatMap(({ name, checks }) =>
    checks.map(({ clause, title }) => `${name}: ${title} [${clause}]`),
  );
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
  expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
});
