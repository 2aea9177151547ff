import { expect } from 'expect';
import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Answer, Service } from '#test/acceptance/suite/service.ts';
import { operations } from '#test/support/requests/requests.ts';
import { CSV, complete } from '../exports/completed-export.ts';
import { makers } from '../support/makers.ts';
import { addItem, created, idOf, patch, pay } from '../support/requests.ts';

/** The operations whose 412 names the changed fields. */
const explained = operations.flatMap(([, operation]) => (operation.ifMatch?.events ? [operation] : []));

/** Creates a member, and changes it once. */
const CHANGED: Readonly<Record<string, (service: Service) => Promise<{ path: string; changed: readonly string[] }>>> = {
  customers: async (service) => {
    const path = await created(service, 'customers', { name: 'Ada' });
    await patch(service, path, { name: 'Bea', email: 'bea@example.com' });
    return { path, changed: ['email', 'name'] };
  },
  invoices: async (service) => {
    const path = await created(service, 'invoices', { total_cents: 9 });
    await pay(service, idOf(path), 4);
    await patch(service, path, { due_date: '2031-01-01' });
    return { path, changed: ['amount_due_cents', 'amount_paid_cents', 'due_date'] };
  },
  'invoice-items': async (service) => {
    const { itemized } = makers(service);
    const { json } = await addItem(service, await itemized(), 5);
    const path = `/v1/invoice-items/${json.id}`;
    await patch(service, path, { quantity: 2 });
    return { path, changed: ['amount_cents', 'quantity'] };
  },
  exports: async (service) => {
    const path = `/v1/exports/${(await complete(service, CSV)).id}`;
    const { headers } = await service.send(path);
    expect(headers['etag']).not.toBe('"1"');
    const { json } = await service.send(`/v1/events?resource_id=${idOf(path)}&limit=100`);
    const changes = json.data.flatMap(({ changed }: { changed: string[] }) => changed);
    return { path, changed: [...new Set<string>(changes)].sort() };
  },
  'webhook-endpoints': async (service) => {
    const path = `/v1/webhook-endpoints/${await makers(service).webhook()}`;
    await patch(service, path, { status: 'disabled' });
    return { path, changed: ['disabled_reason', 'status'] };
  },
};

const collectionOf = ({ route }: Operation): string => route.split('/')[1] as string;

/** Sends the operation with an If-Match. Its body is valid, so that only the precondition refuses it. */
const refuse = async (
  service: Service,
  operation: Operation,
  path: string,
  tag: string,
  query = '',
): Promise<Answer> => {
  const { method, path: route } = routeOf(operation);
  const verb = route.split('}')[1] ?? '';
  const bodies = {
    PATCH: {},
    PUT: (await service.send(path)).json,
    POST: verb === '/rewind' ? { sequence: 0 } : undefined,
  };
  const body = bodies[method as keyof typeof bodies];
  return service.send(`${path}${verb}${query}`, { method, headers: { 'if-match': tag }, ...(body && { body }) });
};

const WITHOUT = ['"9"', '"0"', '"01"', '"x"', '"1", "2"', '"1", "9"', '"1","1"', '"-1"'];

export const changedFields: Group = {
  name: 'Fields that changed before a 412',
  checks: [
    ...VERSIONS.flatMap((version) =>
      explained.map((operation) =>
        check(
          'CONTRACT §7',
          `${operation.route} of ${version} with an earlier ETag: 412 with the changed v1 fields`,
          async (service) => {
            const collection = collectionOf(operation);
            const { path, changed } = await (CHANGED[collection] as (typeof CHANGED)[string])(service);
            const at = path.replace('v1', version);
            for (const [tag, query] of [
              ['"1"', ''],
              ['W/"1-7"', '?dry_run=true'],
              [' , "1" ,', ''],
            ] as const) {
              const { status, json } = await refuse(service, operation, at, tag, query);
              expect([tag, status, json.code, json.changed]).toEqual([tag, 412, 'precondition-failed', changed]);
            }
          },
        ),
      ),
    ),
    ...WITHOUT.map((tag) =>
      check('CONTRACT §7', `If-Match ${tag}, not one earlier version: 412 without changed`, async (service) => {
        const path = await created(service, 'invoices', {});
        for (const description of ['a', 'b']) await patch(service, path, { description });
        const { status, json } = await patch(service, path, {}, { headers: { 'if-match': tag } });
        expect([status, 'changed' in json]).toEqual([412, false]);
      }),
    ),
    check(
      'CONTRACT §7',
      'an ETag between two changes: only the later fields, before and after the feed is read',
      async (service) => {
        const path = await created(service, 'customers', { name: 'Ada' });
        await patch(service, path, { tax_id: 'x' });
        await service.send('/v1/events?limit=1');
        await patch(service, path, { name: 'Bea' });
        const changedSince = async (tag: string) =>
          (await patch(service, path, {}, { headers: { 'if-match': tag } })).json.changed;
        expect([await changedSince('"1"'), await changedSince('"2"')]).toEqual([['name', 'tax_id'], ['name']]);
        await service.send('/v1/events?limit=1');
        expect([await changedSince('"1"'), await changedSince('"2"')]).toEqual([['name', 'tax_id'], ['name']]);
      },
    ),
    check('CONTRACT §7', 'a field that changed and changed back: in changed', async (service) => {
      const path = await created(service, 'customers', { name: 'Ada' });
      for (const name of ['Bea', 'Ada']) await patch(service, path, { name });
      const { json } = await patch(service, path, {}, { headers: { 'if-match': '"1"' } });
      expect(json.changed).toEqual(['name']);
    }),
  ],
};
