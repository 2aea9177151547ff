import { expect, test } from '@jest/globals';
import { check } from './check.ts';
import { runCheck } from './run.ts';
import { type Deployment, serviceOf } from './service.ts';

interface Response {
  readonly status: number;
  readonly text?: string;
}

/** A service whose responses are these; the last one is repeated. */
const serviceThat = (...responses: readonly Response[]) => {
  const left = [...responses];
  const deployment: Deployment = {
    transport: async () => {
      const { status, text = '' } = (left.length > 1 ? left.shift() : left[0]) as Response;
      return { status, text, headers: {} };
    },
    tokens: async () => 'token',
    accountOf: () => 'acct_1',
    permissions: {},
  };
  return serviceOf(deployment, 'group');
};

const isFound = check('CONTRACT §2', 'a member: 200', async (service) => {
  expect((await service.send('/v1/customers/1')).status).toBe(200);
});

test.each<[string, Response[], string]>([
  ['the expected response', [{ status: 200 }], 'passed'],
  ['503, then the expected response', [{ status: 503 }, { status: 200 }], 'failed'],
  ['a wrong response, then the expected one', [{ status: 404 }, { status: 200 }], 'failed'],
])('%s: %s, without another run', async (_, responses, outcome) => {
  expect(await runCheck('group', isFound, serviceThat(...responses))).toMatchObject({ outcome });
});
