import type { Answer } from '#test/support/service/client.ts';
import type { Service } from '#test/support/service/open-service.ts';
import { createCustomer, patch, totalOf as totalOfList } from '../support/requests.ts';
import type { Row } from '../support/rows.ts';

export const change = (service: Service, id: number, body: object) => patch(service, `/v1/customers/${id}`, body);
export const eventsOf = async (service: Service, id: number, more = ''): Promise<Row[]> =>
  (await service.send(`/v1/events?resource_id=${id}${more}`)).json.data;
export const totalOf = (service: Service): Promise<number> => totalOfList(service, '/events');
/** The position of a reader that has read all events up to now. */
export const endOf = async (service: Service): Promise<{ from: string; after: string | null }> => {
  // Publishes the changes of earlier requests, so that their events are older.
  await totalOf(service);
  const id = await createCustomer(service);
  const [{ created_at: from }] = await eventsOf(service, id);
  return { from, after: (await service.send(`/v1/events?created_from=${from}&limit=100`)).json.next_cursor };
};
export const typesOf = ({ json }: Answer) => json.data.map(({ type }: Row) => type);
