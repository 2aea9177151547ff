import { expect } from 'expect';
import { isWrite, type Operation, relationsOf } from '#shared/platform/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { matrix } from '#test/support/requests/requests.ts';
import { query } from '../support/pages.ts';
import { prepareShared } from '../support/prerequisites.ts';
import type { Row } from '../support/rows.ts';

const reads = matrix.flatMap(([title, version, , operation]) => {
  const resource = operation.returns[200];
  return !isWrite(operation) && resource ? [{ title, version, operation, resource }] : [];
});

/** Reads the newest row of a list, or the member. */
const reader =
  (service: Service, { list }: Operation, target: string) =>
  async (parameters: object) => {
    const size = 'page' in parameters ? 'per_page' : 'limit';
    const all = { ...parameters, ...(list && { sort: '-id', [size]: 1 }) };
    const answer = await service.send(`${target}${query(all)}`);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return (list ? answer.json.data[0] : answer.json) as Row;
  };

const partOf = (whole: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => names.includes(name)));

/** Lists read their rows in another way for a filter and for a page by number. */
const waysToRead = ({ list }: Operation, version: Version, row: Row): readonly object[] => {
  const filters = list?.filters.filter((name) => row[name] !== null && row[name] !== undefined) ?? [];
  const pages = list && version === 'v1' ? [{ page: 1 }] : [];
  return [{}, ...pages, ...filters.map((name) => ({ [name]: row[name] }))];
};

/** The names of a list under v2 and of a member under v1, and elsewhere one of them. */
const singleNames = ({ list }: Operation, version: Version, names: readonly string[]): readonly string[] =>
  (list !== undefined) === (version === 'v2') ? names : names.slice(-1);

export const fieldSelection: Group = {
  name: 'Fields and expand',
  checks: [
    ...reads.map(({ title, version, operation, resource }) =>
      check('CONTRACT §6', `${title} with fields: exactly these fields, also when expanded`, async (service) => {
        const { target } = await prepareShared(service, operation, version);
        const read = reader(service, operation, target);
        const names = Object.keys(resource.fields[version]);
        const whole = await read({});
        expect(Object.keys(whole)).toEqual(names);
        const ways = waysToRead(operation, version, whole);
        for (const name of singleNames(operation, version, names))
          for (const way of ways) expect(await read({ ...way, fields: name })).toStrictEqual(partOf(whole, [name]));
        const reversed = await read({ fields: names.toReversed().join() });
        expect(JSON.stringify(reversed)).toBe(JSON.stringify(whole));
        expect(await read({ fields: 'id,created_at,id' })).toStrictEqual(partOf(whole, ['id', 'created_at']));
        for (const relation of Object.keys(relationsOf(operation))) {
          const expanded = await read({ expand: `${relation},${relation}` });
          expect(Object.keys(expanded)).toEqual([...names, relation]);
          expect(await read({ expand: relation, fields: 'id' })).toStrictEqual(partOf(expanded, ['id', relation]));
        }
      }),
    ),
    ...reads.map(({ title, version, operation, resource }) =>
      check('CONTRACT §6', `${title} with unknown names: 422 with the allowed ones`, async (service) => {
        const { target } = await prepareShared(service, operation, version);
        const names = Object.keys(resource.fields[version]);
        const wrong = ['account_id', 'version', 'nope', '', 'id,', ...Object.keys(resource.relations)];
        const unknown = wrong.filter((name) => !names.includes(name));
        for (const fields of unknown) {
          const { status, json } = await service.send(`${target}${query({ fields })}`);
          expect([fields, status, json.errors[0].parameter]).toEqual([fields, 422, 'fields']);
          for (const name of names) expect(json.errors[0].detail).toContain(name);
        }
        const expansions = ['', 'nope', 'account', 'customer', 'items'].filter(
          (name) => !Object.hasOwn(relationsOf(operation), name),
        );
        for (const expand of expansions) {
          const { status, json } = await service.send(`${target}${query({ expand })}`);
          expect([expand, status, json.errors[0].parameter]).toEqual([expand, 422, 'expand']);
        }
      }),
    ),
    ...['v1', 'v2'].map((version) =>
      check('CONTRACT §6', `${version}, fields that the handler needs: only named ones are shown`, async (service) => {
        const invoice_id = (await service.create('/v1/invoices', { total_cents: 5 })).json.id;
        const { id } = (await service.create('/v1/payments', { invoice_id, amount_cents: 5 })).json;
        const job = (await service.create('/v1/exports', { type: 'invoices', format: 'csv' })).json;
        await service.until(`/v1/exports/${job.id}`, ({ json }) => json.status === 'completed');
        const { created_at } = (await service.send(`/v1/invoices/${invoice_id}`)).json;
        const list = query({ status: 'paid', fields: 'status,id,id', created_from: created_at });
        await service.until(`/v1/invoices${list}`, ({ json }) => json.data.length === 1);
        const expected: [string, object][] = [
          [`invoices/${invoice_id}/payments/${id}?fields=invoice_id`, { invoice_id }],
          [`invoices/${invoice_id}/payments/${id}?fields=invoice_id,id`, { id, invoice_id }],
          [`exports/${job.id}?fields=status`, { status: 'completed' }],
          [`invoices${list}`, { data: [{ id: invoice_id, status: 'paid' }], next_cursor: null, has_more: false }],
        ];
        for (const [target, body] of expected) {
          const answer = await service.send(`/${version}/${target}`);
          expect([answer.status, answer.json]).toEqual([200, body]);
        }
      }),
    ),
  ],
};
