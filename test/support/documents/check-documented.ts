import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { endpoints } from '#functions/index.ts';
import { declarationsOf } from '#shared/openapi/declarations.ts';
import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import { matches, routesOf } from '#shared/platform/http/routes.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
type Any = any;

interface ObservedRequest {
  readonly method: string;
  /** The path and the query, as sent. */
  readonly target: string;
}

/** A response and its request. */
interface ObservedResponse {
  readonly method: string;
  /** The path template with its version; undefined when no route matches. */
  readonly path: string | undefined;
  readonly query: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const DOCUMENT = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));

/** The problem codes of the fallback, which the document does not describe. */
const UNROUTED: readonly string[] = declarationsOf(endpoints['service/fallback'] as Endpoint).refuses;
/** Headers that the document omits: of the transfer, for browsers, of CORS, of the fallback, of deprecation. */
const UNDOCUMENTED =
  /^(content-(type|length|encoding|security-policy)|x-content-type-options|referrer-policy|access-control-.*|allow|vary|deprecation|sunset)$/;
/** The headers of any response, which problems do not list. */
const GENERAL = Object.entries<Any>(DOCUMENT.components.headers).flatMap(([name, one]) =>
  one['x-general'] ? [name] : [],
);
const isDeprecated = ({ headers }: ObservedResponse): boolean => 'deprecation' in headers || 'sunset' in headers;

/** The only form of `date-time` that the service writes (CONTRACT §3). */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Makes a schema of the document stricter: no other members are allowed, all are required unless `fields` was sent, and
 * the id is not null unless `dry_run` was sent.
 * @param isVaried whether `fields` or `dry_run` was sent
 */
const makeStrict = (node: Any, isVaried: boolean): Any => {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((one) => makeStrict(one, isVaried));
  const usual = node['x-without-fields'] ?? node['x-without-dry-run'];
  if (usual && !isVaried) return usual;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, makeStrict(value, isVaried)]));
  return copy['type'] === 'object' && copy['properties'] ? { additionalProperties: false, ...copy } : copy;
};

const ajvOf = (isVaried: boolean): Ajv2020 => {
  // Each schema is compiled once, and quickly: most validate few responses.
  const quickly = { inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv2020({ strict: false, validateSchema: false, ...quickly });
  formats.default(ajv);
  ajv.addFormat('date-time', TIMESTAMP);
  return ajv.addSchema({ components: { schemas: makeStrict(DOCUMENT.components.schemas, isVaried) } }, 'openapi');
};

const compilers = new Map<boolean, Ajv2020>();
const compiled = new Map<boolean, WeakMap<object, ValidateFunction>>([
  [true, new WeakMap()],
  [false, new WeakMap()],
]);

/** Caches the compiled schemas, because operations share most of their problems. */
const validator = (schema: Any, isVaried: boolean): ValidateFunction => {
  const known = compiled.get(isVaried)?.get(schema);
  if (known) return known;
  const ajv = compilers.get(isVaried) ?? ajvOf(isVaried);
  compilers.set(isVaried, ajv);
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
  const validate = ajv.compile(makeStrict(absolute, isVaried));
  compiled.get(isVaried)?.set(schema, validate);
  return validate;
};

const resolve = (node: Any): Any =>
  node?.$ref
    ? node.$ref
        .split('/')
        .slice(1)
        .reduce((one: Any, name: string) => one[name], DOCUMENT)
    : node;

const bodyIn = ({ text }: ObservedResponse): Any => (text === '' ? undefined : JSON.parse(text));

const checkUnrouted = (response: ObservedResponse, fail: (why: string) => never): void => {
  if (response.status < 400 || response.method === 'HEAD') return;
  if (!UNROUTED.includes(bodyIn(response)?.code))
    fail(`a path without a route must not have the body ${response.text}`);
};

const checkBody = (response: ObservedResponse, content: Any, fail: (why: string) => never): void => {
  const type = response.headers['content-type']?.split(';')[0] ?? '';
  if (response.text === '') {
    if (content && response.method !== 'HEAD') fail('the body is missing');
    return;
  }
  const schema = content?.[type]?.schema;
  if (!content?.[type]) fail(`the Content-Type ${type} is not documented`);
  if (!schema || !type.endsWith('json')) return;
  const isPart = response.status === 200 && new URLSearchParams(response.query).has('fields');
  const validate = validator(schema, isPart || 'dry-run' in response.headers);
  if (!validate(bodyIn(response))) fail(`${JSON.stringify(validate.errors)}\n${response.text}`);
};

/** In a test file, the first 200 responses of a kind are checked, and then every tenth. */
const FIRST = 200;
const EVERY = 10;
const kinds = new Map<string, number>();

const isChecked = (kind: string): boolean => {
  const count = (kinds.get(kind) ?? 0) + 1;
  kinds.set(kind, count);
  return count <= FIRST || count % EVERY === 0;
};

const ROUTES = Object.values(endpoints).flatMap(routesOf);

/** @throws Error for a response that docs/openapi.json does not document, or that differs from it */
export const checkDocumented = (
  { method, target }: ObservedRequest,
  received: Pick<ObservedResponse, 'status' | 'headers' | 'text'>,
): void => {
  const [path = '', ...query] = target.split('?');
  const found = matches(ROUTES, path).find(({ route }) => route.method === method);
  checkResponse({ ...received, method, path: found?.route.path, query: query.join('?') });
};

const checkResponse = (response: ObservedResponse): void => {
  const key = `${response.method} ${response.path} ${response.status}`;
  if (!isChecked(key)) return;
  const fail = (why: string): never => {
    throw new Error(`${key} differs from docs/openapi.json (npm run generate writes it): ${why}`);
  };
  if (response.path === undefined) {
    checkUnrouted(response, fail);
    return;
  }
  const method = response.method === 'HEAD' ? 'get' : response.method.toLowerCase();
  const documented = resolve(DOCUMENT.paths[response.path]?.[method]?.responses?.[response.status]);
  if (!documented) fail('the status is not documented');
  checkBody(response, documented.content, fail);
  const codes = documented['x-problem-codes'];
  if (
    codes &&
    response.headers['content-type']?.startsWith('application/problem') &&
    response.text &&
    !codes.includes(bodyIn(response).code)
  )
    fail(`the code is not documented: ${response.text}`);
  const listed = Object.keys(documented.headers ?? {});
  const names = [...listed, ...(response.status >= 400 ? GENERAL : [])].map((name) => name.toLowerCase());
  const unknown = Object.keys(response.headers).filter(
    (name) => !names.includes(name) && !UNDOCUMENTED.test(name) && !(name === 'link' && isDeprecated(response)),
  );
  if (unknown.length > 0) fail(`the headers ${unknown.join(', ')} are not documented`);
};
