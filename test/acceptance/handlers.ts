import { randomUUID } from 'node:crypto';
import { openApp } from '#local/app.ts';
import { tableVariables } from '#local/engines/tables.ts';
import { openWorkers } from '#local/workers/workers.ts';
import { createSqsClient } from '#shared/platform/queues/queue.ts';
import { clients } from '#shared/runtime/worker-runtime.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import { startService } from '#test/support/service/service.ts';
import { isLimited } from './own-service.ts';
import type { Deployment } from './suite/service.ts';
import type { TokenSource } from './suite/tokens.ts';

/** The Lambda handlers and workers in this process, without HTTP. */
export interface Handlers extends Deployment {
  stop(): Promise<void>;
}

/** A worker ends its work before the engines stop, also on a busy machine. */
const GRACE_MS = 60_000;

export const startHandlers = async (): Promise<Handlers> => {
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
        RATE_LIMIT_PER_SECOND: '1000',
      };
    },
    { queues: createSqsClient() },
  );
  service.checks.documented = true;
  const [files, startWorkers] = await promise;
  const own = clients();
  const running = startWorkers(openApp({ environment: service.environment, clients: own }).work);
  const tokens: TokenSource = ({ account, sub, role, scope, seconds, claims }) => {
    const expiry = seconds === undefined ? {} : { exp: Math.floor(Date.now() / 1000) + seconds };
    return service.token({ account_id: account, sub, role, scope, ...expiry, ...claims });
  };
  const run = randomUUID().slice(0, 8);
  return {
    transport: ({ target, headers, ...rest }) =>
      service.send(target, { ...rest, headers: { authorization: undefined, ...headers } }),
    tokens,
    accountOf: (group, name) => `acct_${run}_${group.replace(/\W+/g, '-')}_${name}`.slice(0, 64),
    isTemporary: true,
    isLimited,
    permissions: { role: 'admin' },
    async stop() {
      await running.stop(GRACE_MS);
      for (const client of Object.values(own)) client.destroy();
      await Promise.all([service.stop(), files.stop()]);
    },
  };
};
