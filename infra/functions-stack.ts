import { type CfnElement, NestedStack } from 'aws-cdk-lib';
import type { CfnApi, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { pascalCase } from '#shared/openapi/names.ts';
import type { Worker } from '#shared/platform/declarations/worker.ts';
import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import { createRoutes } from './constructs/api.ts';
import { createFunction, type FunctionDependencies } from './constructs/functions.ts';
import { createWorker } from './constructs/workers.ts';

type Declared = readonly [file: string, declaration: Endpoint | Worker];

/** The functions of one folder of `functions/`, each with its role, integration, routes, permission and trigger. */
export class FunctionsStack extends NestedStack {
  /** The functions, by the route of an endpoint or the file of a worker. */
  readonly functions: Readonly<Record<string, Lambda>>;
  readonly routes: readonly CfnRoute[];

  constructor(
    scope: Construct,
    folder: string,
    api: CfnApi,
    declared: readonly Declared[],
    dependencies: FunctionDependencies,
  ) {
    // The prefix keeps a folder such as `alarms` apart from the constructs and resources of the root stack.
    super(scope, `functions-${folder}`, { description: `The functions of functions/${folder}` });
    // Names of functions begin with the name of their stack, which contains this id.
    (this.nestedStackResource as CfnElement).overrideLogicalId(`functions${pascalCase(folder)}`);
    const routes: CfnRoute[] = [];
    const functions: Record<string, Lambda> = {};
    for (const [file, declaration] of declared) {
      if ('route' in declaration) {
        const lambda = createFunction(this, file, declaration, dependencies);
        functions[declaration.route] = lambda;
        for (const route of createRoutes(this, api, declaration, lambda)) routes.push(route);
      } else functions[file] = createWorker(this, file, declaration, dependencies);
    }
    this.functions = functions;
    this.routes = routes;
  }
}

/** The declarations of each folder of `functions/`. */
export const byFolder = (declared: Readonly<Record<string, Endpoint | Worker>>): ReadonlyMap<string, Declared[]> =>
  Map.groupBy(Object.entries(declared), ([file]) => file.split('/')[0] as string);
