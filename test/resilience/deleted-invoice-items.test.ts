import { afterAll, afterEach, expect, test } from '@jest/globals';
import { interrupt } from '#test/support/faults/interleave.ts';
import { createPrerequisites, matrix, request } from '#test/support/requests/requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import { startService } from '#test/support/service/local-service.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

const service = await startService();
const before = interrupt(service.client);
afterEach(() => checkInvariants(service));
afterAll(() => service.stop());

type Row = (typeof matrix)[number];

const WRITES = matrix.filter(([, , , { path, isWrite }]) => path.startsWith('/invoice-items') && isWrite);

/** Repeats a request for a new item each time, and deletes its invoice before AWS call 1, 2, 3 … of the request. */
const race = async ([title, version, , operation]: Row): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for (;;) {
    const caller = { account: `${title.replaceAll(/\W/g, '_')}_${answers.length}` };
    const ids = await createPrerequisites(service, operation, caller);
    const { target, sent } = request(operation, version, ids);
    const remove = async () => {
      const { status } = await service.send(`/v1/invoices/${ids['invoice_id']}`, { method: 'DELETE', as: caller });
      expect(status).toBe(204);
    };
    const send = () => service.send(target, { ...sent, as: caller });
    const { response: answer, isInterrupted } = await before(answers.length + 1, remove, send);
    if (!isInterrupted) return answers;
    answers.push(answer);
  }
};

const outcome = ({ status, json }: Answer) => (status < 300 ? status : `${status} ${json.code}`);

test.each(WRITES)('%s, invoice deleted before any AWS call: 404 [CONTRACT §12]', async (...row) => {
  const outcomes = (await race(row)).map(outcome);
  expect(outcomes.length).toBeGreaterThan(0);
  expect(new Set(outcomes)).toEqual(new Set(['404 not-found']));
});

test.each(['DELETE', 'PATCH'])(
  '%s of an item whose amount another request lowers between two reads: decided again, not 500 [CONTRACT §10]',
  async (method) => {
    const caller = { account: `acct_between_reads_${method}` };
    const send = (target: string, verb: string, body?: object) =>
      service.send(target, { method: verb, ...(body && { body }), as: caller });
    const invoice = (await send('/v1/invoices', 'POST', {})).json.id;
    const item = { invoice_id: invoice, description: 'x', unit_amount_cents: 10 };
    const path = (await send('/v1/invoice-items', 'POST', item)).headers['location'] as string;
    const lower = () => send(path, 'PATCH', { unit_amount_cents: 3 });
    // The item is read first, and then its invoice.
    const change = () => send(path, method, method === 'PATCH' ? { unit_amount_cents: 0 } : undefined);
    const { response, isInterrupted } = await before(2, lower, change);
    expect([isInterrupted, response.status]).toEqual([true, method === 'PATCH' ? 200 : 204]);
    expect((await send(`/v1/invoices/${invoice}`, 'GET')).json.total_cents).toBe(0);
  },
);
