import type { Answer, Service } from '#test/acceptance/suite/service.ts';
import type { Row } from '../support/rows.ts';

export const createCustomer = async (service: Service): Promise<number> =>
  (await service.create('/v1/customers', { name: 'Ada' })).json.id;
export const change = (service: Service, id: number, body: object) =>
  service.send(`/v1/customers/${id}`, { method: 'PATCH', body });
export const eventsOf = async (service: Service, id: number, more = ''): Promise<Row[]> =>
  (await service.send(`/v1/events?resource_id=${id}${more}`)).json.data;
export const totalOf = async (service: Service): Promise<number> =>
  (await service.send('/v1/events?page=1&per_page=1')).json.total_count;
/** Where a reader is that has seen all events from now on. */
export const endOf = async (service: Service): Promise<{ from: string; after: string | null }> => {
  // The events of earlier requests get their times now.
  await totalOf(service);
  const id = await createCustomer(service);
  const [{ created_at: from }] = await eventsOf(service, id);
  return { from, after: (await service.send(`/v1/events?created_from=${from}&limit=100`)).json.next_cursor };
};
export const typesOf = ({ json }: Answer) => json.data.map(({ type }: Row) => type);
