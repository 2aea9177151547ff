import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import { invoiceIn, outcome, patch, put } from '../support/requests.ts';

const CHANGES: readonly (readonly [from: string, body: object, code: string])[] = [
  ['draft', { status: 'paid' }, 'invalid-transition'],
  ['draft', { status: 'canceled' }, 'invalid-transition'],
  ['open', { status: 'draft' }, 'invalid-transition'],
  ['open', { status: 'canceled' }, 'invalid-transition'],
  ['paid', { status: 'open' }, 'invalid-transition'],
  ['paid', { status: 'canceled' }, 'invalid-transition'],
  ['canceled', { status: 'open' }, 'invalid-transition'],
  ['canceled', { status: 'paid' }, 'invalid-transition'],
  ['paid', { description: 'x' }, 'invoice-closed'],
  ['paid', { total_cents: 1 }, 'invoice-closed'],
  ['paid', { metadata: { a: 'b' }, due_date: '2026-12-24' }, 'invoice-closed'],
  ['paid', { metadata: { a: 'b' }, status: 'open' }, 'invalid-transition'],
  ['canceled', { description: 'x' }, 'invoice-closed'],
];

const refusals = CHANGES.map(([status, body, code]) =>
  check(
    'CONTRACT §4',
    `PATCH or PUT of a ${status} invoice with ${JSON.stringify(body)}: 422 ${code}`,
    async (service) => {
      const path = await invoiceIn(service, status);
      const before = await service.send(path);
      for (const answer of [await patch(service, path, body), await put(service, path, { ...before.json, ...body })]) {
        expect(outcome(answer)).toEqual([422, code]);
        expect(answer.json.errors).toHaveLength(1);
      }
      expect((await service.send(path)).text).toBe(before.text);
    },
  ),
);

export const invoiceRefusals: Group = { name: 'Refused changes of an invoice', checks: refusals };
