import type { Answer, Caller } from '#test/support/service/client.ts';
import type { Service } from '#test/support/service/open-service.ts';
import { QUIET } from '../support/prerequisites.ts';

export const PATH = '/v1/webhook-endpoints';
export const RECEIVER_URL = 'https://example.com/hooks';

/** Creates an endpoint that gets no deliveries. */
export const createEndpoint = (service: Service, body: object = {}, as: Caller = {}): Promise<Answer> =>
  service.create(PATH, { url: RECEIVER_URL, event_types: QUIET, ...body }, as);

export const pathOf = ({ json }: Answer): string => `${PATH}/${json.id}`;

export const violations = ({ status, json }: Answer) => [
  status,
  json.errors?.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`).sort(),
];
