import { type App, Stack } from 'aws-cdk-lib';
import type { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { createApi, createStage } from './constructs/api.ts';
import { createBucket } from './constructs/bucket.ts';
import { createCdn } from './constructs/cdn.ts';
import { createApiDomain } from './constructs/domain.ts';
import { createEdgeSecrets } from './constructs/edge-secrets.ts';
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
import { WebAclStack, webAclArn } from './web-acl-stack.ts';

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
      edgeSecrets: createEdgeSecrets(this, settings),
    };
    const stacks = [...byFolder({ ...endpoints, ...workers })].map(
      ([folder, declared]) => new FunctionsStack(this, folder, api, declared, dependencies),
    );
    const routes = stacks.flatMap((stack) => stack.routes);
    const { accessLogs, stage } = createStage(this, api, routes, settings);
    const monitored = {
      api,
      accessLogs,
      functions: Object.assign({}, ...stacks.map(({ functions }) => functions)),
      queues: dependencies.queues,
    };
    createAlarms(this, monitored, settings, createTopic(this, settings, key));
    countColdStarts(this, dependencies.logs, settings);
    createDashboard(this, monitored, settings);
    createOutputs(this, this.#createAddress(api, stage, stacks, dependencies), dependencies.logs, settings);
  }

  /** The address that clients use: CloudFront's, if it is the only one that serves them. */
  #createAddress(
    api: CfnApi,
    stage: CfnStage,
    stacks: readonly FunctionsStack[],
    { settings, edgeSecrets }: FunctionDependencies,
  ): string {
    const { domain, edge, waf } = settings;
    if (!edge) {
      if (domain) createApiDomain(this, api, stage, domain);
      return domain ? `https://${domain.name}` : api.attrApiEndpoint;
    }
    const webAclId = waf && webAclArn(settings);
    const { distribution, address } = createCdn(this, api, { domain, secrets: edgeSecrets, webAclId });
    // The functions accept a new secret before CloudFront sends it.
    distribution.node.addDependency(...stacks);
    return waf ? address : api.attrApiEndpoint;
  }
}

/** Creates the stacks of a stage. */
export const createStacks = (
  app: App,
  settings: Settings,
  bundles: FunctionDependencies['bundles'],
): InvoicingStack => {
  const stack = new InvoicingStack(app, settings, bundles);
  if (settings.waf) stack.addStackDependency(new WebAclStack(app, settings, settings.waf), 'the ARN of the web ACL');
  return stack;
};

/** The cdk-nag rules. Synthesis fails on a finding that has no acknowledged reason. */
export const packs = [AwsSolutionsChecks, ServerlessChecks];
