import { describe, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { packs } from '#infra/stack.ts';
import { prod, stages } from './stages.ts';

const FOLDERS = new Set(Object.keys({ ...endpoints, ...workers }).map((file) => file.split('/')[0]));
const MOST_RESOURCES = 100;

describe('the stack', () => {
  test('every template with every option: at most 100 resources, of the 500 that CloudFormation permits', () => {
    expect(prod.counts).toHaveLength(1 + FOLDERS.size);
    expect(Math.max(...prod.counts)).toBeLessThanOrEqual(MOST_RESOURCES);
  });

  test('the routes: at most 300, the quota of an API', () => {
    expect(prod.all('AWS::ApiGatewayV2::Route').length).toBeLessThanOrEqual(300);
  });

  test.each(Object.entries(stages))('stage %s: cdk-nag reports no unacknowledged finding', (_, { stack }) => {
    for (const Pack of packs) expect(new Pack(stack).validateScope(stack).violations).toEqual([]);
  });
});
