import { type App, Stack } from 'aws-cdk-lib';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { createAlarms } from './alarms.ts';
import { createApi, createRoutes, createStage } from './api.ts';
import { createBucket } from './bucket.ts';
import { createDashboard } from './dashboard.ts';
import { createEdge } from './edge.ts';
import { createKey } from './encryption.ts';
import { createFunction, type Surroundings } from './functions.ts';
import { createOutputs } from './outputs.ts';
import { createQueues } from './queues.ts';
import type { Settings } from './stage.ts';
import { createTables } from './tables.ts';
import { createTopic } from './topic.ts';
import { createWorker } from './workers.ts';

/**
 * The whole service of one stage: tables, a Lambda for each endpoint with the gateway before them, the workers with
 * their queue, bucket and clock, and the watch over it all.
 */
export class InvoicingStack extends Stack {
  constructor(app: App, settings: Settings, bundles: Surroundings['bundles']) {
    super(app, `invoicing-${settings.stage}`, {
      description: `The invoicing service, stage ${settings.stage}`,
      terminationProtection: settings.keepsData,
    });
    const key = createKey(this, settings);
    const api = createApi(this, settings);
    const around = {
      settings,
      bundles,
      tables: createTables(this, settings, key),
      queues: createQueues(this, Object.values(workers), key),
      bucket: createBucket(this, settings, key),
    };
    const serving = Object.entries(endpoints).map(([file, endpoint]) => {
      const lambda = createFunction(this, file, endpoint, around);
      return { does: endpoint.route, lambda, routes: createRoutes(this, api, endpoint, lambda) };
    });
    const working = Object.entries(workers).map(([file, worker]) => ({
      does: file,
      lambda: createWorker(this, file, worker, around),
    }));
    const routes = serving.flatMap((one) => one.routes);
    const watched = {
      api,
      accessLogs: createStage(this, api, routes, settings),
      functions: Object.fromEntries([...serving, ...working].map(({ does, lambda }) => [does, lambda])),
      exports: around.queues.exports,
    };
    createAlarms(this, watched, settings, createTopic(this, settings, key));
    createDashboard(this, watched, settings);
    if (settings.edge) createEdge(this, api);
    createOutputs(this, api, settings);
  }
}
