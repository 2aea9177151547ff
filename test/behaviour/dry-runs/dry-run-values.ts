import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import { call, changesNothing, clause, dryHeader, dryRunOf, send } from './calls.ts';

const VALUES = ['', 'TRUE', '1', 'yes', 'true,true', '%20true', 'true+'];
const REPEATED = ['true&dry_run=true', 'true&dry_run=false', 'false&dry_run=true', 'false&dry_run=false'];
const ENCODED = ['%64ry_run=true', 'dry_run=%74rue', 'dry%5Frun=true', '&dry_run=true&'];

export const dryRunValues: Group = {
  name: 'Values of dry_run',
  checks: [
    ...(
      [
        ['not-allowed', VALUES],
        ['repeated', REPEATED],
      ] as const
    ).flatMap(([code, values]) =>
      values.map((value) =>
        check(clause, `dry_run=${value}: 422 naming dry_run, and nothing changes`, async (service) => {
          const creation = call('POST', 'customers', { name: 'Ada' });
          await changesNothing(service, creation, async () => {
            const answer = await send(service, dryRunOf(creation, value));
            const { status, json } = answer;
            expect([status, json.errors]).toMatchObject([422, [{ parameter: 'dry_run', code }]]);
            if (code === 'repeated') expect(dryHeader(answer)).toBe(value.includes('true') ? 'true' : undefined);
          });
        }),
      ),
    ),
    ...ENCODED.map((query) =>
      check(clause, `?${query}: the request is a dry run`, async (service) => {
        const creation = call('POST', 'customers', { name: 'Ada' });
        await changesNothing(service, creation, async () => {
          const answer = await service.send(`${creation.target}?${query}`, creation.sent);
          expect([answer.status, dryHeader(answer), answer.json.id]).toEqual([201, 'true', null]);
        });
      }),
    ),
    check(clause, 'dry_run=false: the request is executed', async (service) => {
      const real = await send(service, dryRunOf(call('POST', 'customers', { name: 'Ada' }), 'false'));
      expect([real.status, dryHeader(real)]).toEqual([201, undefined]);
      expect([typeof real.json.id, typeof real.headers['location']]).toEqual(['number', 'string']);
    }),
  ],
};
