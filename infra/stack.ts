import { type App, Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { createApi, createRoutes, createStage } from './constructs/api.ts';
import { createBucket } from './constructs/bucket.ts';
import { createCdn } from './constructs/cdn.ts';
import { createKey } from './constructs/encryption.ts';
import { createFunction, type FunctionDependencies } from './constructs/functions.ts';
import { createOutputs } from './constructs/outputs.ts';
import { createQueues } from './constructs/queues.ts';
import { createTables } from './constructs/tables.ts';
import { createWorker } from './constructs/workers.ts';
import { createAlarms } from './monitoring/alarms.ts';
import { createDashboard } from './monitoring/dashboard.ts';
import { createTopic } from './monitoring/topic.ts';
import type { Settings } from './settings/settings.ts';

/**
 * The whole service of one stage: tables, a Lambda for each endpoint with the gateway before them, the workers with
 * their queue, bucket and clock, and the watch over it all.
 */
export class InvoicingStack extends Stack {
  constructor(app: App, settings: Settings, bundles: FunctionDependencies['bundles']) {
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
    if (settings.edge) createCdn(this, api);
    createOutputs(this, api, settings);
  }
}

/** The rule packs of cdk-nag that a template must pass; a finding without an acknowledged reason fails synthesis. */
export const packs = [AwsSolutionsChecks, ServerlessChecks];
