import { createHmac } from 'node:crypto';
import {
  type Behavior,
  behaviors,
  type ReceivedRequest,
  type Receiver,
} from '#test/support/receivers/webhook-receivers.ts';
import type { Answer } from '#test/support/service/client.ts';
import type { Service } from '#test/support/service/open-service.ts';
import type { Row } from '../support/rows.ts';
import { PATH } from './endpoints.ts';

export const ONLY = ['customer.created'];

export interface Subscribed {
  readonly receiver: Receiver;
  readonly path: string;
  readonly endpoint: Row;
}

/** Creates an endpoint for a receiver. By default it subscribes to creations of customers. */
export const subscribe = async (service: Service, behavior: Behavior, body: object = {}): Promise<Subscribed> => {
  const receiver = await service.receive(behavior);
  const { json } = await service.create(PATH, { url: `${receiver.url}/hooks?from=us`, event_types: ONLY, ...body });
  return { receiver, path: `${PATH}/${json.id}`, endpoint: json };
};

/** Subscribes a receiver that reads the deliveries of its endpoint before it responds. */
export const subscribeReader = async (service: Service): Promise<Subscribed & { readonly read: Row[] }> => {
  const read: Row[] = [];
  const own: Subscribed = await subscribe(service, async (...exchange) => {
    read.push(...(await service.send(deliveriesOf(own))).json.data);
    behaviors.ok(...exchange);
  });
  return { ...own, read };
};
export const eventOf = async (service: Service, id: number): Promise<Row> =>
  (await service.send(`/v1/events?resource_id=${id}`)).json.data[0];
export const act = (service: Service, path: string, body?: object) =>
  service.send(path, { method: 'POST', ...(body && { body }) });
export const deliveriesOf = ({ endpoint }: Subscribed, more = '') =>
  `/v1/webhook-deliveries?webhook_endpoint_id=${endpoint.id}${more}`;

/** Waits until the endpoint has this many deliveries, each in one of these states. */
export const deliveries = async (
  service: Service,
  own: Subscribed,
  count: number,
  ...statuses: string[]
): Promise<Row[]> => {
  const isDone = ({ json }: Answer) =>
    json.data.length === count && json.data.every(({ status }: Row) => statuses.includes(status));
  return (await service.until(deliveriesOf(own), isDone)).json.data;
};
/** Waits until the only delivery has the result of its first attempt. */
export const attempted = async (service: Service, own: Subscribed): Promise<Row> => {
  const answer = await service.until(deliveriesOf(own), ({ json }) => {
    const { status, error } = json.data[0] ?? {};
    return status === 'succeeded' || Boolean(error);
  });
  return answer.json.data[0];
};

export const signatureOf = (secret: string, { headers, body }: ReceivedRequest): string => {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
};
export const bodies = ({ requests }: Receiver) => requests.map(({ body }) => JSON.parse(body));
