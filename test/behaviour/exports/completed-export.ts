import type { Service } from '#test/support/service/open-service.ts';
import type { Row } from '../support/rows.ts';

export const CSV = { type: 'customers', format: 'csv' };

/** Creates an export, and waits for its file. */
export const complete = async (service: Service, body: object): Promise<Row> => {
  const { json } = await service.create('/v1/exports', body);
  return (await service.until(`/v1/exports/${json.id}`, ({ json: job }) => job.status === 'completed')).json;
};
