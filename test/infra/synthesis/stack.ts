import { describe, expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { FunctionsStack } from '#infra/functions-stack.ts';
import { namesIn } from '#infra/operations/deployment.ts';
import { packs } from '#infra/stack.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { prod, stages } from './stages.ts';

const FOLDERS = new Set(Object.keys({ ...endpoints, ...workers }).map((file) => file.split('/')[0]));
const MOST_RESOURCES = 100;

describe('the stack', () => {
  test('every template with every option: at most 100 resources, of the 500 that CloudFormation permits', () => {
    const counts = [...prod.stacks.values()].map((resources) => Object.keys(resources).length);
    expect(counts).toHaveLength(1 + FOLDERS.size);
    expect(Math.max(...counts)).toBeLessThanOrEqual(MOST_RESOURCES);
  });

  test('the commands for operators: find the tables, the queues and the bucket by their logical ids', () => {
    const resources = Object.entries(prod.resources).map(([logical, { Type }]) => {
      return { logical, physical: logical.slice(0, -8), type: Type };
    });
    const { tableNames, bucket, queueUrls } = namesIn(resources);
    expect(tableNames).toEqual(Object.fromEntries(Object.keys(tables).map((name) => [name, `${name}table`])));
    expect([bucket, queueUrls]).toEqual(['exportsbucket', { exports: 'exportsqueue', deliveries: 'deliveriesqueue' }]);
    expect(() => namesIn([])).toThrow('Deploy this version first.');
  });

  deepTest(
    'folders named like a construct of the root stack, or alike without hyphens: each has a nested stack',
    () => {
      const stack = new Stack();
      const api = new CfnApi(stack, 'api');
      const folders = ['api', 'invoice-items', 'invoiceitems'];
      for (const folder of folders) new FunctionsStack(stack, folder, api, [], {} as never);
      const { Resources } = Template.fromStack(stack).toJSON();
      expect(Object.keys(Resources)).toEqual(['api', 'functionsApi', 'functionsInvoiceItems', 'functionsInvoiceitems']);
    },
  );

  test('the routes: at most 300, the quota of an API', () => {
    expect(prod.all('AWS::ApiGatewayV2::Route').length).toBeLessThanOrEqual(300);
  });

  test.each(Object.entries(stages))('stage %s: cdk-nag reports no unacknowledged finding', (_, { stack }) => {
    for (const Pack of packs) expect(new Pack(stack).validateScope(stack).violations).toEqual([]);
  });
});
