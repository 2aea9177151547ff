import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { regional } from '#infra/lean.ts';

interface Address {
  readonly url: URL;
}
type Resolve = (parameters: { Region: string; Endpoint?: string; UseFIPS: boolean; UseDualStack: boolean }) => Address;

/** One of each partition, and one that no SDK knows yet. */
const REGIONS = [
  'eu-central-1',
  'us-east-1',
  'il-central-1',
  'us-gov-west-1',
  'cn-north-1',
  'eusc-de-east-1',
  'eu-x-9',
];
const PLAIN = { UseFIPS: false, UseDualStack: false };

describe.each([
  ['dynamodb', () => new DynamoDBClient({ region: 'us-east-1' }).config.endpointProvider],
  ['sqs', () => new SQSClient({ region: 'us-east-1' }).config.endpointProvider],
] as const)('the address of %s in a bundle', (service, provider) => {
  let ours: Resolve;
  const theirs = provider() as unknown as Resolve;

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: regional(service), resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      mainFields: ['module', 'main'],
    });
    const [{ text }] = outputFiles as unknown as [{ text: string }];
    ours = (await import(`data:text/javascript,${encodeURIComponent(text)}`)).defaultEndpointResolver;
  });

  test.each(REGIONS)('is the SDK’s in %s', (Region) => {
    expect(ours({ Region, ...PLAIN }).url.href).toBe(theirs({ Region, ...PLAIN }).url.href);
  });

  test('is the one that the environment names', () => {
    const named = { Region: 'local', Endpoint: 'http://127.0.0.1:8000/x', ...PLAIN };
    expect(ours(named).url.href).toBe(theirs(named).url.href);
  });

  test.each(['UseFIPS', 'UseDualStack'])('is refused where %s asks for another one', (wanted) => {
    expect(() => ours({ Region: 'us-east-1', ...PLAIN, [wanted]: true })).toThrow('see infra/lean.ts');
  });
});
