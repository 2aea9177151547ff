import type { Json } from '#shared/openapi/json-schema.ts';
import { type Fact, groupsOf, toLines } from './facts.ts';
import { type Api, nameOf, presence, resolve, type Side, valueFacts } from './value-facts.ts';

type Members = Readonly<Record<string, Json>>;

/** The lines of docs/api.txt: all facts of an OpenAPI document that a client relies on. */
export const apiLines = (document: Json): string[] => {
  const api: Api = { components: document['components'] as Record<string, Members>, named: new Set() };
  const { schemas = {}, headers = {}, securitySchemes = {} } = api.components;
  const operations = [
    ...operationsOf(document['paths'] as Json, 'request', (path, method) => `${method.toUpperCase()} ${path}`),
    // The service sends the request of a webhook.
    ...operationsOf(document['webhooks'] as Json, 'response', (path) => `webhook ${path}`),
  ];
  const facts: Fact[] = [
    ...Object.entries(securitySchemes).map(([name, { type, scheme }]): Fact => [name, `${type} ${scheme}`]),
    ...operations.flatMap((operation) => [...requestFacts(operation, api)]),
    ...responseFacts(operations, api),
  ];
  const add = (name: string, schema: unknown) => {
    for (const fact of valueFacts(name, schema as Json, 'response', api)) facts.push(fact);
  };
  for (const [name, { schema }] of Object.entries(headers)) add(`header ${name}`, schema);
  // The facts of a schema name further schemas.
  for (const name of api.named) add(`response ${name}`, schemas[name]);
  return toLines(facts);
};

interface Operation {
  readonly name: string;
  readonly side: Side;
  readonly json: Json;
}

const operationsOf = (paths: Json, side: Side, nameOfOperation: (path: string, method: string) => string) =>
  Object.entries(paths as Record<string, Members>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, json]): Operation => ({ name: nameOfOperation(path, method), side, json })),
  );

function* requestFacts({ name, side, json }: Operation, api: Api): Generator<Fact> {
  yield [name, String(json['operationId'])];
  const ways = (json['security'] as Record<string, string[]>[]).map((way) => Object.entries(way).flat(2).join(' '));
  if (ways.length > 0) yield [name, `must authenticate with ${ways.join(' or ')}`];
  for (const parameter of (json['parameters'] ?? []) as Json[]) {
    const { in: place, name: key, required, schema, style, explode } = resolve(parameter, api);
    const part = `${name} ${place} ${key}`;
    if (place !== 'path') yield* presence(name, `${place} ${key}`, part, required === true, side);
    yield* valueFacts(part, schema as Json, side, api);
    if (style) yield [part, `style ${style}, explode ${explode}`];
  }
  const body = json['requestBody'] as Json | undefined;
  if (!body) return;
  yield* presence(name, 'body', `${name} body`, body['required'] === true, side);
  for (const [type, { schema }] of Object.entries(body['content'] as Members)) {
    yield [`${name} body`, 'types', type];
    yield* valueFacts(`${name} body`, schema as Json, side, api);
  }
}

/** A fact of every response of a version, or of every response with a status, has one line. */
const responseFacts = (operations: readonly Operation[], api: Api): Fact[] => {
  const responses = operations.flatMap(({ name, json }) =>
    Object.entries(json['responses'] as Members).map(([status, response]) => {
      const facts = [...statusFacts(`${name} ${status}`, resolve(response, api), api)];
      return { name, status, groups: groupsOf(name, status), facts };
    }),
  );
  const sizes = new Map<string, number>();
  for (const key of responses.flatMap(({ groups, facts }) =>
    groups.flatMap((group) => [group, ...facts.map(([, ...fact]) => [group, ...fact].join())]),
  )) {
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  return responses.flatMap(({ name, status, groups, facts }) => {
    const stated = facts.map(([part, ...fact]): Fact => {
      const common = groups.find(
        (group) => sizes.get(group) !== 1 && sizes.get([group, ...fact].join()) === sizes.get(group),
      );
      return [common ?? part, ...fact];
    });
    return [[name, 'responds', status] as const, ...stated];
  });
};

function* statusFacts(part: string, response: Json, api: Api): Generator<Fact> {
  for (const [type, { schema }] of Object.entries((response['content'] ?? {}) as Members)) {
    const name = nameOf(schema as Json);
    yield [part, 'types', name ? `${type} ${name}` : type];
    if (name) api.named.add(name);
    else yield* valueFacts(`${part} body`, schema as Json, 'response', api);
  }
  for (const code of (response['x-problem-codes'] ?? []) as string[]) yield [part, 'problems', code];
  for (const name of Object.keys((response['headers'] ?? {}) as Json)) yield [part, 'headers', name];
}
