import { describe, expect, test } from '@jest/globals';
import { packs } from '#infra/stack.ts';
import { prod, stages } from './stages.ts';

describe('the stack', () => {
  test('the template with every option: fewer than 450 resources, of the 500 that CloudFormation permits', () => {
    expect(Object.keys(prod.resources).length).toBeLessThan(450);
  });

  test.each(Object.entries(stages))('stage %s: cdk-nag reports no unacknowledged finding', (_, { stack }) => {
    for (const Pack of packs) expect(new Pack(stack).validateScope(stack).violations).toEqual([]);
  });
});
