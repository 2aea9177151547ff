import type { Caller, Client } from '#test/support/service/client.ts';
import { makers } from '#test/support/service/makers.ts';
import { endedPeriod, QUIET } from './prerequisites.ts';

export type Make = ReturnType<typeof idMakers>;

/** Creates resources, and returns their ids. */
export const idMakers = (service: Pick<Client, 'send'>, as: Caller = {}) => {
  const make = makers(service, as);
  const idOf = async (created: Promise<{ readonly id: number }>): Promise<number> => (await created).id;
  const customer = () => idOf(make.customer());
  const invoice = (body: object = {}) => idOf(make.invoice({ total_cents: 100, ...body }));
  const pay = (invoice_id: number, amount_cents: number) => idOf(make.payment(invoice_id, amount_cents));
  const item = (invoice_id: number, unit_amount_cents = 5) => idOf(make.item(invoice_id, unit_amount_cents));
  const itemized = () => invoice({ total_cents: 0 });
  return {
    send: make.send,
    create: (collection: string, body?: object) => idOf(make.create(collection, body)),
    customer,
    invoice,
    pay,
    item,
    itemized,
    webhook: () => idOf(make.endpoint({ event_types: QUIET })),
    exported: () => idOf(make.export({ format: 'csv', filter: endedPeriod() })),
    paymentOf: async (total: number, amount: number) => pay(await invoice({ total_cents: total }), amount),
    async refundedPayment() {
      const payment_id = await pay(await invoice(), 60);
      await make.refund(payment_id, { amount_cents: 10 });
      return payment_id;
    },
    async itemizedWith(...amounts: number[]) {
      const id = await itemized();
      for (const amount of amounts) await item(id, amount);
      return id;
    },
    itemOf: async (amount = 5) => item(await itemized(), amount),
    async partlyPaid() {
      const id = await invoice();
      await pay(id, 40);
      return id;
    },
  };
};
