import type { Service } from '#test/support/service/client.ts';
import { endedPeriod, QUIET } from './prerequisites.ts';

export type Make = ReturnType<typeof makers>;

/** Creates resources, and returns their ids. */
export const makers = (service: Pick<Service, 'send' | 'create'>) => {
  const create = async (collection: string, body?: object): Promise<number> =>
    (await service.create(`/v1/${collection}`, body)).json.id;
  const customer = () => create('customers', { name: 'Ada' });
  const invoice = (body: object = {}) => create('invoices', { total_cents: 100, ...body });
  const pay = (invoice_id: number, amount_cents: number) => create('payments', { invoice_id, amount_cents });
  const item = (invoice_id: number, unit_amount_cents = 5) =>
    create('invoice-items', { invoice_id, description: 'Work', unit_amount_cents });
  const itemized = () => invoice({ total_cents: 0 });
  return {
    send: service.send,
    create,
    customer,
    invoice,
    pay,
    item,
    itemized,
    webhook: () => create('webhook-endpoints', { url: 'https://example.com', event_types: QUIET }),
    exported: () => create('exports', { type: 'customers', format: 'csv', filter: endedPeriod() }),
    paymentOf: async (total: number, amount: number) => pay(await invoice({ total_cents: total }), amount),
    async refundedPayment() {
      const payment_id = await pay(await invoice(), 60);
      await create('refunds', { payment_id, amount_cents: 10 });
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
