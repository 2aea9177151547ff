import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { deploy, type Resource } from './deployment.ts';
import { dev, prod } from './stages.ts';

const codeOf = (event: string): string =>
  readFileSync(join(ROOT, `infra/constructs/cdn-functions/${event}.js`), 'utf8');

describe('the CloudFront distribution', () => {
  const [{ Properties }] = prod.all('AWS::CloudFront::Distribution') as [Resource];
  const { DefaultCacheBehavior: behavior, Origins, CustomErrorResponses } = Properties['DistributionConfig'];

  test('no context: no distribution', () => {
    expect(Object.values(dev.resources).filter(({ Type }) => Type.startsWith('AWS::CloudFront'))).toEqual([]);
    expect(dev.outputs).not.toHaveProperty('Edge');
  });

  test('the cache key: the token, the origin of the page and every query parameter, but no cookie', () => {
    const { CachePolicyConfig: policy } = prod.at(behavior.CachePolicyId).Properties;
    expect(policy).toMatchObject({ MinTTL: 0, DefaultTTL: 0, MaxTTL: 60 });
    expect(policy.ParametersInCacheKeyAndForwardedToOrigin).toEqual({
      CookiesConfig: { CookieBehavior: 'none' },
      HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['Authorization', 'Origin'] },
      QueryStringsConfig: { QueryStringBehavior: 'all' },
      EnableAcceptEncodingBrotli: false,
      EnableAcceptEncodingGzip: true,
    });
  });

  test('requests: every method is forwarded over HTTPS, uncompressed; only GET and HEAD are cached', () => {
    expect(behavior).toMatchObject({
      CachedMethods: ['GET', 'HEAD'],
      Compress: false,
      ViewerProtocolPolicy: 'https-only',
    });
    expect(behavior.AllowedMethods.sort()).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);
    // AWS's own AllViewerExceptHostHeader.
    expect(behavior.OriginRequestPolicyId).toBe('b689b0a8-53d0-40ab-baf2-68738e2966ac');
  });

  test('the deployed functions: have the code that these tests run', () => {
    const associations: { EventType: string; FunctionARN: unknown }[] = behavior.FunctionAssociations;
    expect(associations.map(({ EventType }) => EventType)).toEqual(['viewer-request', 'viewer-response']);
    for (const { EventType, FunctionARN } of associations)
      expect(prod.at(FunctionARN).Properties).toMatchObject({
        FunctionCode: codeOf(EventType),
        FunctionConfig: { Runtime: 'cloudfront-js-2.0' },
      });
  });

  test('error responses: not cached', () => {
    expect(CustomErrorResponses.length).toBe(11);
    for (const { ErrorCachingMinTTL, ResponsePagePath } of CustomErrorResponses) {
      expect([ErrorCachingMinTTL, ResponsePagePath]).toEqual([0, undefined]);
    }
  });

  test('the origin: the gateway, over TLS 1.2, with the header that announces a shared cache', () => {
    expect(Origins).toHaveLength(1);
    expect(Origins[0]).toMatchObject({
      CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] },
      OriginCustomHeaders: [{ HeaderName: 'x-shared-cache', HeaderValue: 'token' }],
    });
    expect(JSON.stringify(Origins[0].DomainName)).toContain('.execute-api.');
  });

  test('a value of edge that is neither true nor false: refused with a line that names it [CONTRACT §12]', () => {
    expect(() => deploy({ edge: 'yes' })).toThrow('-c edge must be one of true, false, not "yes".');
  });
});
