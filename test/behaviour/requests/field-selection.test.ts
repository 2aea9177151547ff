import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Resource } from '#shared/platform/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { deepTest as test } from '#test/support/extent/deep-test.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { createPrerequisites, matrix, request } from '#test/support/requests/requests.ts';
import { type Service, startService } from '#test/support/service/service.ts';

/*
 * Requests each field and each pair of fields from every GET. A single field is sent with every combination of the
 * other parameters, a pair with one of them, chosen by `SEED=…`; `ALL_PAIRS=1` sends each pair with every combination.
 */
const ALL_PAIRS = process.env['ALL_PAIRS'] === '1';
jest.setTimeout(120_000);

let service: Service;
beforeAll(async () => {
  service = await startService();
  service.checks.documented = false;
});
afterAll(() => service.stop());

type Row = Readonly<Record<string, unknown>>;
type Parameters = Readonly<Record<string, string>>;

const reads = matrix.flatMap(([title, version, , operation]) => {
  const resource = operation.returns[200];
  return routeOf(operation).method === 'GET' && resource ? [{ title, version, operation, resource }] : [];
});

/** The cross product of the lists. */
const combine = (first: readonly Parameters[], ...rest: readonly (readonly Parameters[])[]): Parameters[] => {
  const [next, ...others] = rest;
  if (!next) return [...first];
  return combine(
    first.flatMap((one) => next.map((two) => ({ ...one, ...two }))),
    ...others,
  );
};

/** Every combination of the parameters of a GET other than `fields`, with filters that match the row. */
const parametersOf = ({ list }: Operation, { relations }: Resource, version: Version, row: Row): Parameters[] => {
  const expansions = Object.keys(relations).map((name) => [{}, { expand: name }]);
  if (!list) return combine([{}], ...expansions);
  const filters = list.filters.map((name) => {
    if (row[name] === null || row[name] === undefined) throw new Error(`The row has no ${name} to filter by.`);
    return [{}, { [name]: String(row[name]) }];
  });
  const orders = [{}, { sort: '-id' }];
  const styles = version === 'v1' ? [{}, { page: '1' }] : [{}];
  return combine([{}], ...expansions, ...filters, orders, styles);
};

const pairsOf = (names: readonly string[]): string[][] =>
  names.flatMap((first, i) => names.slice(i + 1).map((second) => [first, second]));

const select = (whole: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => names.includes(name)));

/** Creates one row for an operation in a new account, and returns a function that reads it. */
const reader = async ({ title, version, operation }: (typeof reads)[number]) => {
  const claims = { account_id: title.replaceAll(/\W/g, '_').slice(0, 64) };
  const { target } = request(operation, version, await createPrerequisites(service, operation, claims));
  return async (parameters: Parameters): Promise<Row> => {
    const { status, json } = await service.send(`${target}?${new URLSearchParams(parameters)}`, { claims });
    if (status !== 200) return { status, code: json.code };
    if (!operation.list) return json;
    return json.data.length === 1 ? json.data[0] : { rows: json.data.length };
  };
};

const check = async (one: (typeof reads)[number]): Promise<string[]> => {
  const { version, operation, resource } = one;
  const names = Object.keys(resource.fields[version]);
  const read = await reader(one);
  const combinations = parametersOf(operation, resource, version, await read({}));
  const drawn = Math.floor(chances(SEED)() * combinations.length);
  const wrong: string[] = [];
  for (const [i, parameters] of combinations.entries()) {
    const whole = await read(parameters);
    const pairs = pairsOf(names).filter(
      (_, j) => ALL_PAIRS || j % combinations.length === (i + drawn) % combinations.length,
    );
    for (const selected of [names, ...names.map((name) => [name]), ...pairs]) {
      const part = await read({ ...parameters, fields: selected.join() });
      const expected = select(whole, [...selected, ...Object.keys(resource.relations)]);
      if (JSON.stringify(part) !== JSON.stringify(expected)) wrong.push(JSON.stringify([selected, parameters, part]));
    }
  }
  return wrong;
};

test.each(reads)('$title, any field or pair of fields: exactly these fields [CONTRACT §6]', async (one) => {
  expect(await check(one)).toEqual([]);
});
