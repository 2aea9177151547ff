import { join } from 'node:path';
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import type { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  AllowedMethods,
  CachedMethods,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  Function as EdgeFunction,
  type ErrorResponse,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  PriceClass,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import { SHARED_CACHE } from '#shared/platform/http/caching.ts';

/** The longest `max-age` of a response (docs/deploy.md). */
const MAX_TTL = Duration.seconds(60);

/** The errors that CloudFront caches for ten seconds by default. It caches other errors only if they permit it. */
const CACHED_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
const uncachedErrors: ErrorResponse[] = CACHED_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) }));

/** The cache key: everything besides the path that a response depends on. */
const createPolicy = (scope: Construct): CachePolicy =>
  new CachePolicy(scope, 'edge-policy', {
    comment: 'Caches responses for their max-age, at most 60 seconds, separately for each token',
    headerBehavior: CacheHeaderBehavior.allowList('Authorization', 'Origin'),
    queryStringBehavior: CacheQueryStringBehavior.all(),
    // A larger minimum would override `private` of members, but also `no-store` of lists and errors.
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: MAX_TTL,
    // Adds the header to the cache key and forwards it. The static files of the docs page are gzipped already.
    enableAcceptEncodingGzip: true,
  });

const createFunction = (scope: Construct, id: string, eventType: FunctionEventType) => {
  const filePath = join(import.meta.dirname, 'cdn-functions', `${eventType}.js`);
  const code = FunctionCode.fromFile({ filePath });
  return { function: new EdgeFunction(scope, id, { code, runtime: FunctionRuntime.JS_2_0 }), eventType };
};

const REASONS = {
  'AwsSolutions-CFR1': 'The contract restricts no country; geographic restrictions are a decision of the operator.',
  'AwsSolutions-CFR2':
    'A web ACL costs money for each rule and request, and is a decision of the operator (docs/deploy.md).',
  'AwsSolutions-CFR3':
    'The gateway logs every request that reaches the service; a cache hit repeats a response that was logged.',
  'AwsSolutions-CFR4': 'A minimum of TLS 1.2 needs a certificate for a domain of the operator (docs/deploy.md).',
};

/** Creates a shared cache in front of the gateway (§4 Partial responses 5). The gateway's own URL still works. */
export const createCdn = (scope: Construct, api: CfnApi): Distribution => {
  const { region, urlSuffix } = Stack.of(scope);
  const origin = new HttpOrigin(`${api.ref}.execute-api.${region}.${urlSuffix}`, {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    customHeaders: { [SHARED_CACHE]: 'token' },
  });
  const edge = new Distribution(scope, 'edge', {
    comment: 'Shared cache in front of the invoicing API, separate for each token',
    defaultBehavior: {
      origin,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachedMethods: CachedMethods.CACHE_GET_HEAD,
      cachePolicy: createPolicy(scope),
      // The gateway accepts only its own host name.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      // Compression would make the ETag weak, and If-Match needs a strong ETag.
      compress: false,
      functionAssociations: [
        createFunction(scope, 'edge-request', FunctionEventType.VIEWER_REQUEST),
        createFunction(scope, 'edge-response', FunctionEventType.VIEWER_RESPONSE),
      ],
    },
    errorResponses: uncachedErrors,
    httpVersion: HttpVersion.HTTP2_AND_3,
    priceClass: PriceClass.PRICE_CLASS_100,
  });
  for (const [id, reason] of Object.entries(REASONS)) Validations.of(edge).acknowledge({ id, reason });
  new CfnOutput(scope, 'Edge', {
    value: `https://${edge.domainName}`,
    description: 'URL of the shared cache in front of the API',
  });
  return edge;
};
