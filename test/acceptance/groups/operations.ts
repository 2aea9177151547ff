import { expect } from 'expect';
import { routeOf } from '#shared/platform/endpoint.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { matrix, operations, request } from '#test/support/requests.ts';
import { type Check, check, type Group } from '../suite/check.ts';
import type { Answer } from '../suite/service.ts';
import { ownHeaders } from '../suite/transport.ts';
import { prerequisites } from './prerequisites.ts';
import { outcome } from './support.ts';

const headerNames = (answer: Answer): string[] =>
  Object.keys(ownHeaders(answer))
    .filter((name) => name !== 'content-length')
    .sort();

const reads = matrix.filter(([, , , operation]) => routeOf(operation).method === 'GET');

const head = reads.map(([title, version, , operation]) =>
  check('CONTRACT §12', `HEAD instead of ${title}: the status and headers of GET, and no body`, async (service) => {
    const { target, sent } = request(operation, version, await prerequisites(service, operation));
    const get = await service.send(target, sent);
    const answer = await service.send(target, { ...sent, method: 'HEAD' });
    expect([answer.status, answer.text]).toEqual([get.status, '']);
    expect(headerNames(answer)).toEqual(headerNames(get));
    expect(answer.headers['etag']).toBe(get.headers['etag']);
  }),
);

const notModified = reads
  .filter(([, , , { list, returns }]) => returns[200] && !list)
  .map(([title, version, , operation]) =>
    check('CONTRACT §7', `${title}, the current ETag in If-None-Match: 304 without a body`, async (service) => {
      const { target } = request(operation, version, await prerequisites(service, operation));
      const etag = (await service.send(target)).headers['etag'] as string;
      expect(etag).toMatch(/^"\d+"$/);
      const answer = await service.send(target, { headers: { 'if-none-match': etag } });
      expect([answer.status, answer.headers['etag'], answer.text]).toEqual([304, etag, '']);
    }),
  );

const preconditions = matrix
  .filter(([, , , operation]) => routeOf(operation).path.includes('{') && routeOf(operation).method !== 'GET')
  .map(([title, version, , operation]) =>
    check(
      'CONTRACT §7',
      `${title}, a stale If-Match: 412 with the current ETag; a malformed one: 400`,
      async (service) => {
        const { target, sent } = request(operation, version, await prerequisites(service, operation));
        const member = target.split('/').slice(0, 4).join('/');
        const { headers, text } = await service.send(member);
        const ask = (tag: string) => service.send(target, { ...sent, headers: { ...sent.headers, 'if-match': tag } });
        const stale = await ask('"99"');
        expect([...outcome(stale), stale.headers['etag']]).toEqual([412, 'precondition-failed', headers['etag']]);
        expect(outcome(await ask('99'))).toEqual([400, 'invalid-header']);
        expect((await service.send(member)).text).toBe(text);
      },
    ),
  );

const keys = matrix
  .filter(([, , , operation]) => routeOf(operation).method === 'POST')
  .map(([title, version, , operation]) => {
    const isRequired = operation.idempotency === 'required';
    const expected = isRequired ? '400' : 'success';
    return check('CONTRACT §8', `${title}, no key: ${expected}; a key that is not a UUID: 400`, async (service) => {
      const { target, sent } = request(operation, version, await prerequisites(service, operation));
      const malformed = await service.send(target, { ...sent, headers: { 'idempotency-key': 'x' } });
      expect(outcome(malformed)).toEqual([400, 'invalid-idempotency-key']);
      const without = await service.send(target, { ...sent, headers: {} });
      if (isRequired) expect(outcome(without)).toEqual([400, 'idempotency-key-required']);
      else expect(without.status).toBeLessThan(300);
    });
  });

const paths = Map.groupBy(
  operations.map(([, operation]) => routeOf(operation)),
  ({ path }) => path.replaceAll(/\{\w+\}/g, '1'),
);
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];

const unknown: Check[] = [...paths].flatMap(([path, routes]) => {
  const methods: readonly string[] = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [
    check('CONTRACT §4', `${path}, a method that the path lacks: 405 with the methods it has`, async (service) => {
      for (const method of METHODS.filter((one) => !methods.includes(one)))
        for (const version of VERSIONS) {
          const { status, headers } = await service.send(`/${version}${path}`, { method, as: 'nobody' });
          expect([method, status]).toEqual([method, 405]);
          expect(headers['allow']?.split(', ').sort()).toEqual([...methods, 'OPTIONS'].sort());
        }
    }),
    check('CONTRACT §4', `${path}, no version or an unknown one: 404 version-required`, async (service) => {
      for (const prefix of ['', '/v0', '/v3'])
        expect(outcome(await service.send(prefix + path, { as: 'nobody' }))).toEqual([404, 'version-required']);
    }),
  ];
});

export const operationHeaders: Group = {
  name: 'Methods and headers of each operation',
  checks: [...head, ...notModified, ...preconditions, ...keys, ...unknown],
};
