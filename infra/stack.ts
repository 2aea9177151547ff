import { type App, Stack } from 'aws-cdk-lib';
import { endpoints } from '#functions/index.ts';
import { createAlarms } from './alarms.ts';
import { createApi, createRoutes, createStage } from './api.ts';
import { createDashboard } from './dashboard.ts';
import { createKey } from './encryption.ts';
import { createFunction, type Surroundings } from './functions.ts';
import { createOutputs } from './outputs.ts';
import type { Settings } from './stage.ts';
import { createTables } from './tables.ts';
import { createTopic } from './topic.ts';

/** The whole service of one stage: tables, a Lambda for each endpoint, the gateway before them, and their watch. */
export class InvoicingStack extends Stack {
  constructor(app: App, settings: Settings, bundles: Surroundings['bundles']) {
    super(app, `invoicing-${settings.stage}`, {
      description: `The invoicing service, stage ${settings.stage}`,
      terminationProtection: settings.keepsData,
    });
    const key = createKey(this, settings);
    const api = createApi(this, settings);
    const around = { settings, bundles, tables: createTables(this, settings, key) };
    const deployed = Object.entries(endpoints).map(([file, endpoint]) => {
      const lambda = createFunction(this, file, endpoint, around);
      return { route: endpoint.route, lambda, routes: createRoutes(this, api, endpoint, lambda) };
    });
    const routes = deployed.flatMap((one) => one.routes);
    const functions = Object.fromEntries(deployed.map(({ route, lambda }) => [route, lambda]));
    const watched = { api, functions, accessLogs: createStage(this, api, routes, settings) };
    createAlarms(this, watched, settings, createTopic(this, settings, key));
    createDashboard(this, watched, settings);
    createOutputs(this, api, settings);
  }
}
