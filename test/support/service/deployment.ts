import type { Deployment } from '#infra/operations/deployment.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { clients } from '#shared/runtime/worker-runtime.ts';
import type { LocalService } from './local-service.ts';
import type { Workers } from './workers.ts';

export const tableNamesOf = ({ environment }: Pick<LocalService, 'environment'>): Deployment['tableNames'] => {
  const names = Object.entries(tables).map(([name, { variable }]) => [name, environment[variable]]);
  return Object.fromEntries(names) as Deployment['tableNames'];
};

/**
 * The data of a test service, as an operator opens the data of a stage.
 * @param own the clients, which `close` destroys; a test can inject faults into them that do not affect the workers
 */
export const deploymentOf = (
  { service, queue }: Pick<Workers, 'service' | 'queue'>,
  own: ReturnType<typeof clients> = clients(),
): Deployment => ({
  ...own,
  name: 'test',
  region: 'local',
  tableNames: tableNamesOf(service),
  bucket: queue.bucket,
  queueUrls: { exports: queue.queueUrl, deliveries: queue.queueUrl },
  close() {
    for (const client of Object.values(own)) client.destroy();
  },
});
