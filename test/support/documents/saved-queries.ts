/** The words of the query language that the saved queries use. */
const WORDS = /^(fields|filter|stats|sort|by|as|asc|desc|count|sum|avg|min|max|pct|latest|ispresent|and|or|like)$/;

/** The fields of the log that a query names, without CloudWatch's own and those that the query defines. */
export const fieldsOf = (commands: readonly string[]): string[] => {
  const text = commands.join(' | ').replaceAll(/"[^"]*"/g, '');
  const defined = [...text.matchAll(/ as (\w+)/g)].map(([, name]) => name as string);
  const names = [...text.matchAll(/(?<![@\w.])[a-z_][\w.]*/gi)].map(([name]) => name);
  return [...new Set(names)].filter((name) => !WORDS.test(name) && !defined.includes(name));
};
