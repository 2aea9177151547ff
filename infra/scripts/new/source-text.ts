/** Import lines: the imported names by their modules. A template has none of its own, which the test of imports would read. */
export const imports = (modules: Readonly<Record<string, string>>): string =>
  Object.entries(modules).map(importLine).join('');

const importLine = ([path, names]: [string, string]): string => `import ${names} from '${path}';\n`;
