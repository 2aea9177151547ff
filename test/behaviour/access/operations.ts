import { expect } from 'expect';
import * as v from 'valibot';
import { isWrite } from '#shared/platform/endpoint.ts';
import { type Check, check, type Group } from '#test/acceptance/suite/check.ts';
import { matrix, operations, readableResources, request, scopesOf } from '#test/support/requests/requests.ts';
import { prepare, prepareShared } from '../support/prerequisites.ts';

type Row = (typeof matrix)[number];

/** Ids of no resource: these errors come before a 404 (§5). */
const MISSING = Object.fromEntries([...readableResources.keys()].map((name) => [name, 1]));
const SCOPES = [...new Set(operations.map(([, { scope }]) => scope))];

const withoutToken = ([title, version, , operation]: Row): Check =>
  check('§5', `${title}, no token and an unknown parameter: 401`, async (service) => {
    const { target, sent } = request(operation, version, MISSING);
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, as: 'nobody' });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ code: 'unauthenticated', type: '/problems/unauthenticated', status: 401 });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="invoicing"');
  });

const withoutScope = ([title, version, , operation]: Row): Check =>
  check('§5', `${title}, all scopes except the required one, and a malformed body: 403`, async (service) => {
    const { target, sent } = request(operation, version, MISSING);
    const scope = SCOPES.filter((one) => one !== operation.scope).join(' ');
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, body: '{', as: { scope } });
    expect([answer.status, answer.json.code]).toEqual([403, 'insufficient-scope']);
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="invoicing", error="insufficient_scope", scope="${operation.scope}"`,
    );
  });

const withScope = ([title, version, , operation]: Row): Check =>
  check('§5', `${title}, the required scope alone: success, and the response fits its schema`, async (service) => {
    const { target, sent } = await (isWrite(operation) ? prepare : prepareShared)(service, operation, version);
    const answer = await service.send(target, { ...sent, as: { scope: scopesOf(operation) } });
    const [status, resource] = Object.entries(operation.returns)[0] ?? [];
    expect([answer.status, answer.json?.code]).toEqual([Number(status), undefined]);
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]{8,}$/);
    if (!resource) return expect(answer.text).toBe('');
    const rows = operation.list ? answer.json.data : [answer.json];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(Object.keys(resource.fields[version]));
      for (const [name, field] of Object.entries(resource.fields[version]))
        expect([name, v.is(field.schema, row[name])]).toEqual([name, true]);
    }
  });

const withUnknownNames = ([title, version, , operation]: Row): Check =>
  check('CONTRACT §4', `${title}, an unknown parameter, account_id or role: 422`, async (service) => {
    const { target, sent } = request(operation, version, MISSING);
    for (const parameter of ['misspelt', 'account_id', ...(isWrite(operation) ? ['fields', 'expand'] : [])]) {
      const answer = await service.send(`${target}?${parameter}=other`, sent);
      expect(answer.status).toBe(422);
      expect(answer.json.errors).toContainEqual(expect.objectContaining({ parameter, code: 'unknown-parameter' }));
    }
    if (!operation.body) return;
    const body = { ...(sent.body as object), account_id: 'acct_other', role: 'admin' };
    const answer = await service.send(target, { ...sent, body });
    expect(answer.status).toBe(422);
    expect(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/account_id', '/role']);
  });

export const access: Group = {
  name: 'Access to each operation',
  checks: [withoutToken, withoutScope, withScope, withUnknownNames].flatMap((make) => matrix.map(make)),
};
