import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { currentDocument } from '#shared/openapi/source.ts';
import { TOOLS } from '#test/generators/tools.ts';

/*
 * The rules of the document that other people's tools need. `npm run test:generators` runs the tools themselves.
 */

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Every object of the document with its path, without the objects of the examples. */
const nodesOf = (node: Node, path = ''): (readonly [path: string, node: Node])[] => [
  [path, node],
  ...Object.entries(node).flatMap(([name, value]) =>
    isNode(value) && name !== 'examples' ? nodesOf(value, `${path}/${name}`) : [],
  ),
];

// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
const document = currentDocument() as any;
const nodes = nodesOf(document);

/** The paths of the objects that a predicate finds. */
const find = (predicate: (node: Node, path: string) => boolean): string[] =>
  nodes.filter(([path, node]) => predicate(node, path)).map(([path]) => path);

/** The members of a schema's object, or of its list of types. */
const typesOf = ({ type }: Node): unknown[] => [type ?? []].flat();
const isProperties = (path: string): boolean => path.endsWith('/properties');

test('a link passes ids only as parameters: openapi-generator rejects an object as requestBody', () => {
  expect(find((_, path) => /\/links\/[^/]+\/requestBody$/.test(path))).toEqual([]);
});

test('a date has no pattern: pydantic would match it against a parsed date', () => {
  const dates = ({ format }: Node) => format === 'date' || format === 'date-time';
  expect(find(dates).length).toBeGreaterThan(20);
  expect(find((node) => dates(node) && 'pattern' in node)).toEqual([]);
});

test('a time in a request body: a text without format, which would change the types of generated clients', () => {
  const bodies = /^\/components\/schemas\/\w+(Creation|Patch|Replacement)V\d/;
  expect(find((node, path) => bodies.test(path) && node['format'] === 'date-time')).toEqual([]);
  const { created_from } = document.components.schemas.ExportCreationV1.properties.filter.properties;
  expect(created_from).toEqual({ type: 'string', description: 'RFC 3339 with seconds and offset.' });
});

/** The greatest integer that a schema admits. */
const greatest = ({ maximum = Number.POSITIVE_INFINITY }: Node): number => Number(maximum);

test('an integer: the format int64 exactly when it admits more than 2^31−1', () => {
  const integers = (node: Node) => typesOf(node).includes('integer');
  const wide = find((node) => integers(node) && greatest(node) > 2 ** 31 - 1);
  expect(wide.length).toBeGreaterThan(100);
  expect(find(({ format }) => format === 'int64')).toEqual(wide);
  expect(find((node) => integers(node) && 'format' in node)).toEqual(wide);
  expect(find((node) => integers(node) && greatest(node) <= 2 ** 31 - 1).length).toBeGreaterThan(20);
});

test('an object or an array that can be null: anyOf, not a list of types', () => {
  const compound = (node: Node) => typesOf(node).some((type) => type === 'object' || type === 'array');
  expect(find((node, path) => !isProperties(path) && compound(node) && Array.isArray(node['type']))).toEqual([]);
  const address = document.components.schemas.CustomerV1.properties.address;
  expect(address.anyOf[1]).toEqual({ type: 'null' });
});

/** The names of types: generators write the components of these kinds into one namespace. */
const typeNames = ['schemas', 'responses', 'parameters'].flatMap((kind) => Object.keys(document.components[kind]));

/** The name as a generator can write it in a language without upper case, `-`, `_` or `.`. */
const plain = (name: string): string => name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();

test('two components: distinct names, also without case and separators', () => {
  const namesakes = [...Map.groupBy(typeNames, plain).values()].filter((names) => names.length > 1);
  expect(namesakes).toEqual([]);
});

test('a name of a type: differs from the names that a generator derives from other types, such as the constructor `NewInvoiceV1` of Go', () => {
  const taken = new Set(typeNames.map(plain));
  const operations = nodes.flatMap(([, { operationId }]) => (typeof operationId === 'string' ? [operationId] : []));
  const derived = (name: string) => [
    ...['New', 'Nullable', 'Opt', 'Nil', 'OptNil', 'Api'].map((prefix) => prefix + name),
    ...['Request', 'Req', 'Response', 'Res', 'Params', 'Body', 'WithDefaults', 'Inner'].map((suffix) => name + suffix),
  ];
  expect(operations.length).toBeGreaterThan(50);
  expect([...typeNames, ...operations].flatMap(derived).filter((name) => taken.has(plain(name)))).toEqual([]);
  expect(operations.filter((name) => taken.has(plain(name)))).toEqual([]);
});

test('a default: no object or array, a syntax error in generated Go; `x-default` and the description state it', () => {
  const isSchema = (path: string) => !isProperties(path) && !path.endsWith('/responses');
  expect(find((node, path) => isSchema(path) && isNode(node['default']))).toEqual([]);
  const described = nodes.filter(([, node]) => 'x-default' in node);
  expect(described.length).toBeGreaterThan(10);
  const undescribed = described.filter(
    ([, node]) => !`${node['description']}`.includes(`\`${JSON.stringify(node['x-default'])}\``),
  );
  expect(undescribed).toEqual([]);
});

test('a choice: a component or null, or a component of its own, because generators name an inline choice `Type0`', () => {
  const isComponent = (path: string) => /^\/components\/schemas\/\w+$/.test(path);
  const branches = ({ anyOf }: Node) => (Array.isArray(anyOf) ? (anyOf as Node[]) : []);
  expect(find((node) => branches(node).length > 0).length).toBeGreaterThan(10);
  const isInline = ({ $ref, type }: Node) => $ref === undefined && type !== 'null';
  expect(find((node, path) => branches(node).some(isInline) && !isComponent(path))).toEqual([]);
  const references = (node: Node) => branches(node).filter(({ $ref }) => $ref).length;
  expect(find((node, path) => references(node) > 1 && !isComponent(path))).toEqual([]);
});

test('an array names the schema of its items [Spectral: array-items]', () => {
  const arrays = (node: Node) => typesOf(node).includes('array');
  expect(find(arrays).length).toBeGreaterThan(20);
  expect(find((node) => arrays(node) && !isNode(node['items']))).toEqual([]);
});

test('a response is one schema, not a choice: generated types then give access to its members', () => {
  const isResponse = (path: string) => /\/responses\/2\d\d\/content\/[^/]+(\/json)?\/schema$/.test(path);
  const resolve = ({ $ref }: Node): Node => document.components.schemas[`${$ref}`.split('/').at(-1) as string] ?? {};
  expect(find((_, path) => isResponse(path)).length).toBeGreaterThan(20);
  const isChoice = (node: Node) => 'anyOf' in node || 'oneOf' in node;
  expect(find((node, path) => isResponse(path) && (isChoice(node) || isChoice(resolve(node))))).toEqual([]);
});

test('a problem: the schema of all problems, because generators write a type for each schema [CONTRACT §10]', () => {
  const problems = nodes.filter(([path]) => path.endsWith('/content/application/problem+json'));
  expect(problems.length).toBeGreaterThan(20);
  const schemas = problems.map(([, { schema }]) => schema);
  expect(schemas).toEqual(problems.map(() => ({ $ref: '#/components/schemas/Problem' })));
});

test('a problem: its own headers only, because Go parses each listed header of each status', () => {
  const isGeneral = (name: string) => document.components.headers[name]['x-general'];
  const listed = Object.values<Node>(document.components.responses).flatMap(({ headers = {} }) =>
    Object.keys(headers as Node),
  );
  expect(listed).toContain('Retry-After');
  expect(listed.filter(isGeneral)).toEqual([]);
});

test('a list of values: a component with a name, or generators number its types', () => {
  const named = find((node, path) => Array.isArray(node['enum']) && /^\/components\/schemas\/\w+$/.test(path));
  expect(named.length).toBeGreaterThan(20);
  const inline = find((node) => Array.isArray(node['enum'])).filter((path) => !named.includes(path));
  // A schema in a condition, or for the names of a map, makes no type.
  expect(inline.filter((path) => !path.endsWith('/propertyNames'))).toEqual([]);
});

test('a condition: `if` next to the type, and no `allOf` or `not`, from which generators make other types', () => {
  expect(find((node, path) => !isProperties(path) && 'if' in node && !path.endsWith('/else')).length).toBeGreaterThan(
    4,
  );
  expect(find((node, path) => !isProperties(path) && 'not' in node)).toEqual([]);
  expect(find(({ allOf }) => Array.isArray(allOf) && allOf.some((part) => 'if' in part))).toEqual([]);
});

test('oneOf: nowhere, because openapi-generator then leaves out the members next to it', () => {
  expect(find((node, path) => !isProperties(path) && 'oneOf' in node)).toEqual([]);
});

test('a list of names in a query: one parameter, separated by commas [CONTRACT §6]', () => {
  const lists = find(({ in: place, schema }) => place === 'query' && isNode(schema) && schema['type'] === 'array');
  expect(lists.length).toBeGreaterThan(10);
  expect(find((node, path) => lists.includes(path) && (node['style'] !== 'form' || node['explode'] !== false))).toEqual(
    [],
  );
});

test('the servers: the host of the document, and a server with a host for tools that read a file', () => {
  expect(document.servers.map(({ url }: Node) => url)).toEqual(['/', 'http://127.0.0.1:3000']);
});

test.each(TOOLS.flatMap(({ commands }) => commands))('docs/clients.md: has the command %s', (command) => {
  expect(readFileSync('docs/clients.md', 'utf8').split('\n')).toContain(command);
});
