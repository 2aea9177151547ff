/** Writes import lines. Templates must not contain them as text, because the test of imports would read them. */
export const imports = (modules: Readonly<Record<string, string>>): string =>
  Object.entries(modules).map(importLine).join('');

const importLine = ([path, names]: [string, string]): string => `import ${names} from '${path}';\n`;
