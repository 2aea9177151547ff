/** Import lines: the imported names by their modules. A template has none of its own, which the test of imports would read. */
export const imports = (modules: Readonly<Record<string, string>>): string =>
  Object.entries(modules)
    .map(([path, names]) => `import ${names} from '${path}';\n`)
    .join('');
