import { randomUUID } from 'node:crypto';
import { openApp } from '#local/app.ts';
import { tableVariables } from '#local/engines/tables.ts';
import { openWorkers } from '#local/workers/workers.ts';
import { clients } from '#shared/runtime/worker-runtime.ts';
import { createPatientSender, makePatient } from '#test/support/engine/patience.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import { startService } from './local-service.ts';
import type { OpenDeployment } from './open-service.ts';

/** A worker ends its work before the engines stop, also on a busy machine. */
const GRACE_MS = 60_000;

/**
 * Opens the handlers and workers in this process, with engines of their own.
 * @param ratePerSecond the budget of each account
 */
export const openInProcess = async (ratePerSecond = 1000): Promise<OpenDeployment> => {
  const { promise, resolve } =
    Promise.withResolvers<readonly [QueueAndFiles, Awaited<ReturnType<typeof openWorkers>>]>();
  // The engines' addresses and keys are set when the service has started its own engine.
  const service = await startService(
    async () => {
      const files = await startTestQueueAndFiles();
      const environment: NodeJS.ProcessEnv = {
        ...process.env,
        ...tableVariables(),
        ...files.variables,
        EXPORTS_QUEUE_URL: `${files.queueUrl}-exports`,
        DELIVERIES_QUEUE_URL: `${files.queueUrl}-deliveries`,
      };
      resolve([files, await openWorkers(environment, false)]);
      const { EXPORTS_QUEUE_URL = '', DELIVERIES_QUEUE_URL = '' } = environment;
      return {
        ...files.variables,
        EXPORTS_QUEUE_URL,
        DELIVERIES_QUEUE_URL,
        WEBHOOK_ALLOW_LOCAL: 'true',
        RATE_LIMIT_PER_SECOND: String(ratePerSecond),
      };
    },
    { queues: createPatientSender() },
  );
  const [files, startWorkers] = await promise;
  const own = clients();
  // The first request for the docs blocks the process for a second, in which no connection opens.
  for (const client of Object.values(own)) makePatient(client);
  const running = startWorkers(openApp({ environment: service.environment, clients: own }).work);
  const run = randomUUID().slice(0, 8);
  return {
    ...service.deployment,
    accountOf: (name = 'own') => `acct_${run}_${name}`,
    isTemporary: true,
    async stop() {
      await running.stop(GRACE_MS);
      for (const client of Object.values(own)) client.destroy();
      await Promise.all([service.stop(), files.stop()]);
    },
  };
};
