import { type App, Stack } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { createApi, createStage } from './constructs/api.ts';
import { createBucket } from './constructs/bucket.ts';
import { createCdn } from './constructs/cdn.ts';
import { createKey } from './constructs/encryption.ts';
import type { FunctionDependencies } from './constructs/functions.ts';
import { createLogs } from './constructs/logs.ts';
import { createOutputs } from './constructs/outputs.ts';
import { createQueues } from './constructs/queues.ts';
import { createTables } from './constructs/tables.ts';
import { byFolder, FunctionsStack } from './functions-stack.ts';
import { createAlarms } from './monitoring/alarms.ts';
import { createDashboard } from './monitoring/dashboard.ts';
import { countColdStarts } from './monitoring/metrics.ts';
import { createTopic } from './monitoring/topic.ts';
import type { Settings } from './settings/settings.ts';

/** The API, the data and the monitoring; the functions are in a nested stack for each folder of `functions/`. */
export class InvoicingStack extends Stack {
  constructor(app: App, settings: Settings, bundles: FunctionDependencies['bundles']) {
    super(app, `invoicing-${settings.stage}`, {
      description: `Invoicing REST service, stage ${settings.stage}`,
      terminationProtection: settings.keepsData,
    });
    const key = createKey(this, settings);
    const api = createApi(this, settings);
    const dependencies = {
      settings,
      bundles,
      logs: createLogs(this, 'logs', settings),
      tables: createTables(this, settings, key),
      queues: createQueues(this, Object.values(workers), key),
      bucket: createBucket(this, settings, key),
    };
    const stacks = [...byFolder({ ...endpoints, ...workers })].map(
      ([folder, declared]) => new FunctionsStack(this, folder, api, declared, dependencies),
    );
    const routes = stacks.flatMap((stack) => stack.routes);
    const monitored = {
      api,
      accessLogs: createStage(this, api, routes, settings),
      functions: Object.assign({}, ...stacks.map(({ functions }) => functions)),
      queues: dependencies.queues,
    };
    const topic = createTopic(this, settings, key);
    createAlarms(this, monitored, settings, topic);
    countColdStarts(this, dependencies.logs, settings);
    createDashboard(this, monitored, settings);
    if (settings.edge) createCdn(this, api);
    createOutputs(this, { api, logs: dependencies.logs, topic }, settings);
  }
}

/** The cdk-nag rules. Synthesis fails on a finding that has no acknowledged reason. */
export const packs = [AwsSolutionsChecks, ServerlessChecks];
