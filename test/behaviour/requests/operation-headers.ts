import { expect } from 'expect';
import { routeOf } from '#shared/platform/endpoint.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import { matrix } from '#test/support/requests/requests.ts';
import { inTurn, prepare, prepareShared } from '../support/prerequisites.ts';
import { constantHeaders, outcome } from '../support/requests.ts';

const reads = matrix.filter(([, , , operation]) => routeOf(operation).method === 'GET');

const head = reads.map(([title, version, , operation]) =>
  check('CONTRACT §12', `HEAD for ${title}: the status and headers of GET, no body`, async (service) => {
    const { target: path } = await prepareShared(service, operation, version);
    const target = operation.list ? `${path}?sort=-id&limit=1` : path;
    const [get, answer] = [await service.send(target), await service.send(target, { method: 'HEAD' })];
    expect([answer.status, answer.text]).toEqual([get.status, '']);
    if (get.status === 303) return;
    expect(constantHeaders(answer)).toEqual(constantHeaders(get));
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
  }),
);

const notModified = reads
  .filter(([, , , { list, returns }]) => returns[200] && !list)
  .map(([title, version, , operation]) =>
    check('CONTRACT §7', `${title}, the current ETag in If-None-Match: 304 without a body`, async (service) => {
      const { target } = await prepareShared(service, operation, version);
      const etag = (await service.send(target)).headers['etag'] as string;
      expect(etag).toMatch(/^"\d+"$/);
      const answer = await service.send(target, { headers: { 'if-none-match': etag } });
      expect([answer.status, answer.headers['etag'], answer.text]).toEqual([304, etag, '']);
    }),
  );

const preconditions = inTurn
  .filter(([, , , operation]) => routeOf(operation).path.includes('{') && routeOf(operation).method !== 'GET')
  .map(([title, version, , operation]) =>
    check(
      'CONTRACT §7',
      `${title}, a stale If-Match: 412 with the current ETag; a malformed one: 400`,
      async (service) => {
        const { target, sent } = await prepareShared(service, operation, version);
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

const keys = inTurn
  .filter(([, , , operation]) => routeOf(operation).method === 'POST')
  .map(([title, version, , operation]) => {
    const isRequired = operation.idempotency === 'required';
    const expected = isRequired ? '400' : 'success';
    return check('CONTRACT §8', `${title}, no key: ${expected}; a key that is not a UUID: 400`, async (service) => {
      const use = isRequired ? prepareShared : prepare;
      const { target, sent } = await use(service, operation, version);
      const malformed = await service.send(target, { ...sent, headers: { 'idempotency-key': 'x' } });
      expect(outcome(malformed)).toEqual([400, 'invalid-idempotency-key']);
      const without = await service.send(target, { ...sent, headers: {} });
      if (isRequired) expect(outcome(without)).toEqual([400, 'idempotency-key-required']);
      else expect(without.status).toBeLessThan(300);
    });
  });

export const operationHeaders: Group = {
  name: 'Headers of each operation',
  checks: [...head, ...notModified, ...preconditions, ...keys],
};
