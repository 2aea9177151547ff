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
import { SHARED_CACHE } from '#shared/platform/http/request/cache-control.ts';

/** Longer than any answer's own `max-age`; none says less (docs/cdn.md). */
const MAX_TTL = Duration.seconds(60);

/** The errors that CloudFront would keep for ten seconds by itself; others it keeps only if they say so. */
const CACHED_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
const noErrors: ErrorResponse[] = CACHED_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) }));

/** Whatever an answer depends on but the path: the token, the page that asks, whether it takes gzip, every parameter. */
const createPolicy = (scope: Construct): CachePolicy =>
  new CachePolicy(scope, 'edge-policy', {
    comment: 'What says so, for as long as it says; a member for each token',
    headerBehavior: CacheHeaderBehavior.allowList('Authorization', 'Origin'),
    queryStringBehavior: CacheQueryStringBehavior.all(),
    minTtl: Duration.seconds(0),
    defaultTtl: Duration.seconds(0),
    maxTtl: MAX_TTL,
    // In the key, and passed on: the documentation's files are packed already.
    enableAcceptEncodingGzip: true,
  });

const createFunction = (scope: Construct, id: string, eventType: FunctionEventType) => {
  const filePath = join(import.meta.dirname, 'cdn-functions', `${eventType}.js`);
  const code = FunctionCode.fromFile({ filePath });
  return { function: new EdgeFunction(scope, id, { code, runtime: FunctionRuntime.JS_2_0 }), eventType };
};

const REASONS = {
  'AwsSolutions-CFR1': 'Where a client may be is the business of whoever deploys; the contract restricts nobody.',
  'AwsSolutions-CFR2': 'A web ACL costs by rule and request, and belongs to whoever deploys; the gateway throttles.',
  'AwsSolutions-CFR3': 'The gateway logs what reaches the service; a hit holds nothing that was not logged before.',
  'AwsSolutions-CFR4': 'Its own certificate, with TLS 1.2, takes a domain of whoever deploys (docs/cdn.md).',
};

/** Puts a shared cache before the gateway (§4 Partial responses 5), which stays reachable by its own address. */
export const createCdn = (scope: Construct, api: CfnApi): Distribution => {
  const { region, urlSuffix } = Stack.of(scope);
  const origin = new HttpOrigin(`${api.ref}.execute-api.${region}.${urlSuffix}`, {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    customHeaders: { [SHARED_CACHE]: 'token' },
  });
  const edge = new Distribution(scope, 'edge', {
    comment: 'Keeps members for a minute, for each token',
    defaultBehavior: {
      origin,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachedMethods: CachedMethods.CACHE_GET_HEAD,
      cachePolicy: createPolicy(scope),
      // The gateway knows itself by its own host alone.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      // It would make a tag weak, and If-Match wants the strong one.
      compress: false,
      functionAssociations: [
        createFunction(scope, 'edge-request', FunctionEventType.VIEWER_REQUEST),
        createFunction(scope, 'edge-response', FunctionEventType.VIEWER_RESPONSE),
      ],
    },
    errorResponses: noErrors,
    httpVersion: HttpVersion.HTTP2_AND_3,
    priceClass: PriceClass.PRICE_CLASS_100,
  });
  for (const [id, reason] of Object.entries(REASONS)) Validations.of(edge).acknowledge({ id, reason });
  new CfnOutput(scope, 'Edge', { value: `https://${edge.domainName}`, description: 'The shared cache before the API' });
  return edge;
};
