import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { endpoints } from '#functions/index.ts';
import { declarationsOf } from '#shared/openapi/declarations.ts';
import type { Endpoint } from '#shared/platform/endpoint.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
type Any = any;

/** An answer, and what it answers. */
export interface Met {
  readonly method: string;
  /** The path template with its version; none where no route takes the path. */
  readonly path: string | undefined;
  readonly query: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const DOCUMENT = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

/** The codes of the fallback, which the document does not describe. */
const UNROUTED: readonly string[] = declarationsOf(endpoints['service/fallback'] as Endpoint).refuses;
/** Headers of the transfer, for browsers alone, and of CORS; `Allow` is the fallback's, and a version's end is a setting. */
const UNSAID =
  /^(content-(type|length|encoding|security-policy)|x-content-type-options|referrer-policy|access-control-.*|allow|vary|deprecation|sunset)$/;
const isAnnounced = ({ headers }: Met): boolean => 'deprecation' in headers || 'sunset' in headers;

const isSelectable = ({ anyOf }: Any): boolean => anyOf?.length === 2 && /Selection(V\d)$/.test(anyOf[1].$ref ?? '');

/**
 * The document, stricter than clients may take it: an answer has no member that is not in it, and is whole unless
 * `fields` was sent.
 */
const strict = (node: Any, isPart: boolean): Any => {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((one) => strict(one, isPart));
  if (isSelectable(node)) return node.anyOf[isPart ? 1 : 0];
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, strict(value, isPart)]));
  return copy['type'] === 'object' && copy['properties'] ? { additionalProperties: false, ...copy } : copy;
};

const ajvOf = (isPart: boolean): Ajv2020 => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  formats.default(ajv);
  return ajv.addSchema({ components: { schemas: strict(DOCUMENT.components.schemas, isPart) } }, 'openapi');
};

const compilers = new Map<boolean, Ajv2020>();
const compiled = new Map<boolean, WeakMap<object, ValidateFunction>>([
  [true, new WeakMap()],
  [false, new WeakMap()],
]);

/** Compiles a schema when it is first met; operations share most of their problems. */
const validator = (schema: Any, isPart: boolean): ValidateFunction => {
  const known = compiled.get(isPart)?.get(schema);
  if (known) return known;
  const ajv = compilers.get(isPart) ?? ajvOf(isPart);
  compilers.set(isPart, ajv);
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
  const validate = ajv.compile(strict(absolute, isPart));
  compiled.get(isPart)?.set(schema, validate);
  return validate;
};

const at = (node: Any): Any =>
  node?.$ref
    ? node.$ref
        .split('/')
        .slice(1)
        .reduce((one: Any, name: string) => one[name], DOCUMENT)
    : node;

const bodyIn = (met: Met): Any => (met.text === '' ? undefined : JSON.parse(met.text));

const checkUnrouted = (met: Met, fail: (why: string) => never): void => {
  if (met.status < 400 || met.method === 'HEAD') return;
  if (!UNROUTED.includes(bodyIn(met)?.code)) fail(`an unknown path is not answered with ${met.text}`);
};

const checkBody = (met: Met, content: Any, fail: (why: string) => never): void => {
  const type = met.headers['content-type']?.split(';')[0] ?? '';
  if (met.text === '') {
    if (content && met.method !== 'HEAD') fail('has a body in the document');
    return;
  }
  const schema = content?.[type]?.schema;
  if (!content?.[type]) fail(`${type} is not documented`);
  if (!schema || !type.endsWith('json')) return;
  const isPart = new URLSearchParams(met.query).has('fields');
  const validate = validator(schema, isPart && met.status === 200);
  if (!validate(bodyIn(met))) fail(`${JSON.stringify(validate.errors)}\n${met.text}`);
};

/** So many answers of a kind are all checked in a file of tests, and of those that follow every tenth. */
const ALL = 200;
const SOME = 10;
const kinds = new Map<string, number>();

const isChecked = (kind: string): boolean => {
  const count = (kinds.get(kind) ?? 0) + 1;
  kinds.set(kind, count);
  return count <= ALL || count % SOME === 0;
};

/** @throws Error for an answer that docs/openapi.json does not tell of, or that does not fit what it tells */
export const checkDocumented = (met: Met): void => {
  const key = `${met.method} ${met.path} ${met.status}`;
  if (!isChecked(key)) return;
  const fail = (why: string): never => {
    throw new Error(`${key} is not as docs/openapi.json says (npm run openapi writes it): ${why}`);
  };
  if (met.path === undefined) {
    checkUnrouted(met, fail);
    return;
  }
  const method = met.method === 'HEAD' ? 'get' : met.method.toLowerCase();
  const answer = at(DOCUMENT.paths[met.path]?.[method]?.responses?.[met.status]);
  if (!answer) fail('no such answer');
  checkBody(met, answer.content, fail);
  const said = Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase());
  const unsaid = Object.keys(met.headers).filter(
    (name) => !said.includes(name) && !UNSAID.test(name) && !(name === 'link' && isAnnounced(met)),
  );
  if (unsaid.length > 0) fail(`the headers ${unsaid.join(', ')} are not documented`);
};
