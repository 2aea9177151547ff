import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../json-schema.ts';
import { resolve } from './resolve.ts';
import {
  type Change,
  type Comparison,
  type Members,
  memberChanges,
  NO_LONGER,
  schemaChanges,
} from './schema-changes.ts';

/** The changes from one OpenAPI document to another that can break a client, one line each. */
export const breakingChanges = (released: Json, current: Json): string[] => {
  const client: Sides = {
    sends: { released, current, direction: 'request', known: new Map() },
    reads: { released, current, direction: 'response', known: new Map() },
  };
  // The service sends the request of a webhook, and the client the response.
  const receiver: Sides = { sends: client.reads, reads: client.sends };
  return [
    ...new Set([
      ...schemeChanges(released, current),
      ...allOperationChanges(operationsOf(released, 'paths'), operationsOf(current, 'paths'), client),
      ...allOperationChanges(operationsOf(released, 'webhooks'), operationsOf(current, 'webhooks'), receiver),
    ]),
  ];
};

/** The comparison of an operation's request, and the comparison of its responses. */
interface Sides {
  readonly sends: Comparison;
  readonly reads: Comparison;
}

type Operations = Readonly<Record<string, Json>>;

const operationsOf = (document: Json, section: 'paths' | 'webhooks'): Operations =>
  Object.fromEntries(
    Object.entries(document[section] as Json).flatMap(([path, item]) =>
      Object.entries(item as Json).map(([method, operation]) => [
        section === 'paths' ? `${method.toUpperCase()} ${path}` : `webhook ${path}`,
        operation as Json,
      ]),
    ),
  );

const schemeChanges = (released: Json, current: Json): string[] => {
  const [was, is] = [released, current].map((document) => (document['components'] as Json)['securitySchemes'] as Json);
  const withoutText = ({ description: _, ...scheme }: Json) => scheme;
  return Object.entries(was ?? {})
    .filter(
      ([name, scheme]) => !isDeepStrictEqual(withoutText(scheme as Json), withoutText((is?.[name] ?? {}) as Json)),
    )
    .map(([name]) => `security scheme "${name}" is removed or changed`);
};

const allOperationChanges = (was: Operations, is: Operations, sides: Sides): string[] =>
  Object.entries(was).flatMap(([key, operation]) => {
    const current = is[key];
    return current
      ? operationChanges(operation, current, sides).map((text) => `${key}: ${text}`)
      : [`${key}: is removed`];
  });

const operationChanges = (was: Json, is: Json, { sends, reads }: Sides): string[] => [
  ...(was['operationId'] === is['operationId']
    ? []
    : [`operationId is now ${is['operationId']}, was ${was['operationId']}`]),
  ...securityChanges(was, is),
  ...parameterChanges(was, is, sends),
  ...bodyChanges(was, is, sends),
  ...Object.entries(was['responses'] as Json).flatMap(([status, response]) =>
    responseChanges(status, response as Json, (is['responses'] as Json)[status] as Json | undefined, reads),
  ),
];

type Security = readonly Readonly<Record<string, readonly string[]>>[];

/** Each way to authenticate must still be sufficient. An empty list demands nothing. */
const securityChanges = (was: Json, is: Json): string[] => {
  const alternativesOf = ({ security }: Json): Security =>
    (security as Security).length > 0 ? (security as Security) : [{}];
  const current = alternativesOf(is);
  const isSufficient = (alternative: Security[number]) =>
    current.some((demand) =>
      Object.entries(demand).every(
        ([scheme, scopes]) => scopes.every((scope) => alternative[scheme]?.includes(scope)) && scheme in alternative,
      ),
    );
  return alternativesOf(was).every(isSufficient) ? [] : [`now requires ${JSON.stringify(current)}`];
};

const parameterChanges = (was: Json, is: Json, comparison: Comparison): string[] => {
  const before = parametersOf(was, comparison.released);
  const after = parametersOf(is, comparison.current);
  return [
    ...['path', 'query', 'header', 'cookie'].flatMap((place) =>
      memberChanges(membersOf(before, place), membersOf(after, place), comparison).map(
        describe(`${place} parameter`, ''),
      ),
    ),
    ...before.flatMap((parameter) => {
      const current = after.find((other) => other['name'] === parameter['name'] && other['in'] === parameter['in']);
      return ['style', 'explode']
        .filter((keyword) => current && current[keyword] !== parameter[keyword])
        .map((keyword) => `${parameter['in']} parameter "${parameter['name']}" has another ${keyword}`);
    }),
  ];
};

const parametersOf = ({ parameters = [] }: Json, document: Json): Json[] =>
  (parameters as Json[]).map((parameter) => resolve(parameter, document));

const membersOf = (parameters: readonly Json[], place: string): Members =>
  Object.fromEntries(
    parameters
      .filter((parameter) => parameter['in'] === place)
      .map((parameter) => [parameter['name'], toMember(parameter)]),
  );

/** The request body is a member of its operation. Its fields are the fields of its media types. */
const bodyChanges = (was: Json, is: Json, comparison: Comparison): string[] => {
  const before = was['requestBody'] as Json | undefined;
  const after = is['requestBody'] as Json | undefined;
  const members = (body: Json | undefined): Members =>
    body ? { [BODY]: { schema: {}, required: body['required'] === true } } : {};
  return [
    ...memberChanges(members(before), members(after), comparison).map(({ field, text }) => `${field} ${text}`),
    ...(before && after ? contentChanges(before, after, comparison).map(describe(`${BODY}: field`, BODY)) : []),
  ];
};

const BODY = 'request body';

const responseChanges = (status: string, was: Json, is: Json | undefined, comparison: Comparison): string[] => {
  const place = `response ${status}`;
  if (!is) return [`${place} is removed`];
  const before = resolve(was, comparison.released);
  const after = resolve(is, comparison.current);
  return [
    ...memberChanges(headersOf(before, comparison.released), headersOf(after, comparison.current), comparison).map(
      describe(`${place}: header`, place),
    ),
    ...contentChanges(before, after, comparison).map(describe(`${place}: field`, place)),
  ];
};

const headersOf = ({ headers = {} }: Json, document: Json): Members =>
  Object.fromEntries(
    Object.entries(headers as Json).map(([name, header]) => [name, toMember(resolve(header as Json, document))]),
  );

const contentChanges = (was: Json, is: Json, comparison: Comparison): Change[] => {
  const after = (is['content'] ?? {}) as Json;
  return Object.entries((was['content'] ?? {}) as Json).flatMap(([type, media]) => {
    const current = after[type] as Json | undefined;
    if (!current) return [{ field: '', text: `${NO_LONGER[comparison.direction]} ${type}` }];
    return schemaChanges(toMember(media as Json).schema, toMember(current).schema, comparison);
  });
};

const toMember = ({ schema = {}, required }: Json): Members[string] => ({
  schema: schema as Json,
  required: required === true,
});

const describe =
  (noun: string, whole: string) =>
  ({ field, text }: Change): string =>
    field ? `${noun} "${field}" ${text}` : `${whole} ${text}`;
