import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { FUNCTION_QUERIES, GATEWAY_QUERIES } from '#infra/monitoring/queries.ts';
import { fieldsOf } from '#test/support/documents/saved-queries.ts';
import type { Resource } from './deployment.ts';
import { dev, prod, stages } from './stages.ts';

const names = Object.keys({ ...FUNCTION_QUERIES, ...GATEWAY_QUERIES });
const [stage] = prod.all('AWS::ApiGatewayV2::Stage') as [Resource];

describe('the saved queries', () => {
  const accessLogs = stage.Properties['AccessLogSettings'];

  test.each(Object.entries(stages))(
    'stage %s: each query, in a folder of the stage, on its own log',
    (name, { all }) => {
      const expected = names.map((query) => `invoicing-${name}/${query}`);
      const queries = all('AWS::Logs::QueryDefinition').map(({ Properties }) => Properties);
      expect(queries.map(({ Name }) => Name)).toEqual(expected);
      const logs = Object.values(dev.functions)[0]?.Properties['LoggingConfig'].LogGroup;
      const ofGateway = { Ref: accessLogs.DestinationArn['Fn::Join'][1].at(-1).Ref };
      for (const { Name, LogGroupNames } of queries)
        expect(LogGroupNames).toEqual([Name.split('/')[1] in GATEWAY_QUERIES ? ofGateway : logs]);
    },
  );

  test('a query of one message: filters by it first', () => {
    const [, conflicts] = prod.all('AWS::Logs::QueryDefinition').map(({ Properties }) => Properties['QueryString']);
    expect(conflicts).toMatch(/^filter message = "request"\n\| fields @timestamp, route/);
  });

  test.each(Object.entries(GATEWAY_QUERIES))('%s: each of its fields is in the access log', (_, { commands }) => {
    expect(Object.keys(JSON.parse(accessLogs.Format))).toEqual(expect.arrayContaining(fieldsOf(commands)));
  });

  test('docs/runbook.md: names each query, and no other', () => {
    const runbook = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
    const named = [...runbook.matchAll(/query `([\w-]+)`/gi)].map(([, name]) => name as string);
    expect([...new Set(named)].sort()).toEqual(names.toSorted());
  });
});
