import { join } from 'node:path';
import { CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib';
import type { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
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
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import type { Domain } from '#infra/settings/stack-settings.ts';
import { EDGE_SECRET } from '#shared/platform/http/pipeline/steps/edge-only.ts';
import { SHARED_CACHE } from '#shared/platform/http/request/cache-control.ts';
import { createEdgeRecords } from './domain.ts';
import type { EdgeSecrets } from './edge-secrets.ts';

/** The longest `max-age` of a response (docs/cdn.md). */
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
    'The setting waf adds a web ACL, which costs money for each rule and request; the gateway throttles.',
  'AwsSolutions-CFR3':
    'The gateway logs every request that reaches the service; a cache hit repeats a response that was logged.',
  'AwsSolutions-CFR4':
    'A minimum of TLS 1.2 needs a certificate for a domain of the operator (the setting domainName).',
};

const createBehavior = (scope: Construct, api: CfnApi, secrets: EdgeSecrets | undefined): BehaviorOptions => {
  const { region, urlSuffix } = Stack.of(scope);
  const origin = new HttpOrigin(`${api.ref}.execute-api.${region}.${urlSuffix}`, {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    customHeaders: { [SHARED_CACHE]: 'token', ...(secrets && { [EDGE_SECRET]: secrets.sent }) },
  });
  return {
    origin,
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachedMethods: CachedMethods.CACHE_GET_HEAD,
    cachePolicy: createPolicy(scope),
    // The gateway accepts only its own host name.
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    // Compression would make the ETag weak, and If-Match needs a strong one.
    compress: false,
    functionAssociations: [
      createFunction(scope, 'edge-request', FunctionEventType.VIEWER_REQUEST),
      createFunction(scope, 'edge-response', FunctionEventType.VIEWER_RESPONSE),
    ],
  };
};

interface CdnOptions {
  readonly domain: Domain | undefined;
  readonly secrets: EdgeSecrets | undefined;
  /** The ARN of the web ACL. */
  readonly webAclId: string | undefined;
}

/**
 * Creates a shared cache in front of the gateway (§4 Partial responses 5). Without a web ACL, the gateway's own URL
 * still works.
 */
export const createCdn = (
  scope: Construct,
  api: CfnApi,
  { domain, secrets, webAclId }: CdnOptions,
): { readonly distribution: Distribution; readonly address: string } => {
  const distribution = new Distribution(scope, 'edge', {
    comment: 'Shared cache in front of the invoicing API, separate for each token',
    defaultBehavior: createBehavior(scope, api, secrets),
    errorResponses: uncachedErrors,
    httpVersion: HttpVersion.HTTP2_AND_3,
    priceClass: PriceClass.PRICE_CLASS_100,
    ...(webAclId !== undefined && { webAclId }),
    ...(domain && {
      domainNames: [domain.name],
      certificate: Certificate.fromCertificateArn(scope, 'edge-certificate', domain.certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    }),
  });
  for (const [id, reason] of Object.entries(REASONS)) Validations.of(distribution).acknowledge({ id, reason });
  if (domain) createEdgeRecords(scope, distribution, domain);
  const address = `https://${domain?.name ?? distribution.domainName}`;
  new CfnOutput(scope, 'Edge', { value: address, description: 'URL of the shared cache in front of the API' });
  return { distribution, address };
};
