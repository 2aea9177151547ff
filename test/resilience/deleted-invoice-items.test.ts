import { afterAll, afterEach, expect, test } from '@jest/globals';
import { interrupt } from '#test/support/faults/interleave.ts';
import type { Ids } from '#test/support/requests/examples.ts';
import { createPrerequisites, matrix, request } from '#test/support/requests/requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import { startService } from '#test/support/service/local-service.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

const service = await startService();
const before = interrupt(service.client);
afterEach(() => checkInvariants(service));
afterAll(() => service.stop());

type Row = (typeof matrix)[number];

const ofItems = matrix.filter(([, , , operation]) => operation.path.startsWith('/invoice-items'));
const isList = ([, , , { list }]: Row) => list !== undefined;
const isRead = ([, , , operation]: Row) => operation.method === 'GET';

/** Repeats a request for a new item each time, and deletes its invoice before AWS call 1, 2, 3 … of the request. */
const race = async ([title, version, , operation]: Row, query: (ids: Ids) => string = () => ''): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for (;;) {
    const caller = { account: `${title.replaceAll(/\W/g, '_')}_${answers.length}` };
    const ids = await createPrerequisites(service, operation, caller);
    const { target, sent } = request(operation, version, ids);
    const remove = async () => {
      const { status } = await service.send(`/v1/invoices/${ids['invoice_id']}`, { method: 'DELETE', as: caller });
      expect(status).toBe(204);
    };
    const send = () => service.send(`${target}${query(ids)}`, { ...sent, as: caller });
    const { response: answer, isInterrupted } = await before(answers.length + 1, remove, send);
    if (!isInterrupted) return answers;
    answers.push(answer);
  }
};

const outcome = ({ status, json }: Answer) => (status < 300 ? status : `${status} ${json.code}`);

test.each(ofItems.filter((row) => !isRead(row)))(
  '%s, invoice deleted before any AWS call: 404 [CONTRACT §12]',
  async (...row) => {
    const outcomes = (await race(row)).map(outcome);
    expect(outcomes.length).toBeGreaterThan(0);
    expect(new Set(outcomes)).toEqual(new Set(['404 not-found']));
  },
);

test.each(ofItems.filter((row) => isRead(row) && !isList(row)))(
  '%s, invoice deleted before call 1: 404; later: 404 or the item [CONTRACT §12]',
  async (...row) => {
    const [first, ...later] = (await race(row)).map(outcome);
    expect(first).toBe('404 not-found');
    for (const one of later) expect(['404 not-found', 200]).toContain(one);
  },
);

const lists = ofItems
  .filter(isList)
  .flatMap((row) => [[row[0], row, ''] as const, [`${row[0]}?invoice_id=…`, row, 'invoice_id'] as const]);

test.each(lists)(
  '%s, invoice deleted before any AWS call: no item, or the whole item [CONTRACT §12]',
  async (_, row, filter) => {
    const [, version, , operation] = row;
    const names = Object.keys(operation.returns[200]?.fields[version] ?? {});
    const [first, ...later] = await race(row, (ids) => (filter ? `?${filter}=${ids[filter]}` : ''));
    expect([first?.status, first?.json.data]).toEqual([200, []]);
    for (const { status, json } of later) {
      expect(status).toBe(200);
      expect([[], [names]]).toContainEqual(json.data.map(Object.keys));
    }
  },
);

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
