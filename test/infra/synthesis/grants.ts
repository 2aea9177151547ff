import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { GRANTS_FILE, type Grants, grantsFile, grantsOf, isTelemetry } from './function-grants.ts';
import { dev, prod } from './stages.ts';

const { all, at, functions } = dev;

const FILES = Object.keys(functions);

/** Each action with its resource. */
const pairsOf = (grants: Grants): string[] =>
  Object.entries(grants).flatMap(([resource, actions]) => actions.map((action) => `${action} ${resource}`));

describe('the roles of the functions', () => {
  test.each(Object.entries({ dev, prod }))(
    'stage %s: the grants are those of infra/grants.json (npm run generate)',
    (_, stage) => {
      expect(grantsFile(stage)).toBe(readFileSync(GRANTS_FILE, 'utf8'));
    },
  );

  test('an endpoint with GET: may not write, except counts, the feed, and a list to ask for sealing [CONTRACT §5, §14, §16]', () => {
    const readers = FILES.filter((file) => endpoints[file]?.route.startsWith('GET '));
    expect(readers.length).toBeGreaterThan(20);
    const reads = /^(dynamodb:(GetItem|BatchGetItem|Query)|s3:GetObject|logs:.*|xray:.*) /;
    const writes = readers.flatMap((file) =>
      pairsOf(grantsOf(dev, file)).flatMap((grant) => (reads.test(grant) ? [] : [`${file}: ${grant}`])),
    );
    const allowed = /: dynamodb:UpdateItem table limits$|^\S+\/list(-payments)?: dynamodb:UpdateItem table pages$/;
    expect(writes.filter((write) => !allowed.test(write)).sort()).toEqual([
      'events/list: dynamodb:DeleteItem table outbox',
      'events/list: dynamodb:PutItem table events',
      'events/list: dynamodb:PutItem table outbox',
    ]);
  });

  test('every function: has a role of its own, which only Lambda may assume', () => {
    const roles = Object.values(functions).map(({ Properties }) => at(Properties['Role']));
    expect(new Set(roles).size).toBe(roles.length);
    expect(new Set(roles)).toEqual(new Set(all('AWS::IAM::Role')));
    for (const { Properties } of roles) {
      expect(Properties['AssumeRolePolicyDocument'].Statement).toEqual([
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ]);
    }
  });

  test('every role: writes only to the log group of the functions and to X-Ray', () => {
    for (const file of FILES) {
      const group = functions[file]?.Properties['LoggingConfig'].LogGroup.Ref;
      const telemetry = pairsOf(grantsOf(dev, file)).filter(isTelemetry);
      // X-Ray's actions support no resource but `*`.
      const tracing = ['xray:PutTelemetryRecords *', 'xray:PutTraceSegments *'];
      expect(telemetry.sort()).toEqual([`logs:CreateLogStream ${group}`, `logs:PutLogEvents ${group}`, ...tracing]);
    }
  });
});
