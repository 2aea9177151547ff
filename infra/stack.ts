import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { createApi, createRoutes } from './api.ts';
import { createBucket } from './bucket.ts';
import { createFunction, type Surroundings } from './functions.ts';
import { createQueues } from './queues.ts';
import type { Settings } from './stage.ts';
import { createTables } from './tables.ts';
import { createWorker } from './workers.ts';

/**
 * The whole service of one stage: tables, a Lambda for each endpoint with the gateway before them, and the workers with
 * their queue, bucket and clock.
 */
export class InvoicingStack extends Stack {
  constructor(app: App, settings: Settings, bundles: Surroundings['bundles']) {
    super(app, `invoicing-${settings.stage}`, {
      description: `The invoicing service, stage ${settings.stage}`,
      terminationProtection: settings.keepsData,
    });
    const api = createApi(this, settings);
    const around = {
      settings,
      bundles,
      tables: createTables(this, settings),
      queues: createQueues(this, Object.values(workers)),
      bucket: createBucket(this, settings),
    };
    for (const [file, endpoint] of Object.entries(endpoints)) {
      createRoutes(this, api, endpoint, createFunction(this, file, endpoint, around));
    }
    for (const [file, worker] of Object.entries(workers)) createWorker(this, file, worker, around);
    new CfnOutput(this, 'Address', { value: api.attrApiEndpoint, description: 'Where the API answers' });
  }
}
