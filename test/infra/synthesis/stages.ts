import { deploy } from './deployment.ts';

/** The context that stage prod requires. */
export const PROD = {
  stage: 'prod',
  issuer: 'https://id.example.com/',
  audience: 'invoicing',
  jwksUrl: 'https://id.example.com/.well-known/jwks.json',
};

const certificate = (region: string): string => `arn:aws:acm:${region}:123456789012:certificate/0123-4567`;

/** Stage dev without a context. */
export const dev = deploy();

/** Stage prod with every option that adds resources, and with settings of the functions. */
export const prod = deploy({
  ...PROD,
  arch: 'x86_64',
  accountClaim: 'custom:account_id',
  corsOrigins: 'https://a.test https://b.test',
  idempotencyTtlHours: '48',
  v1Deprecation: '2027-01-31',
  v1Sunset: '2028-01-31T12:30:00Z',
  customerKey: 'true',
  alarmEmail: 'ops@example.com',
  runbook: 'https://wiki.example.com/runbook',
  edge: 'true',
  edgeSecret: '3',
  waf: 'true',
  wafRateLimit: '5000',
  domainName: 'api.example.com',
  certificateArn: certificate('us-east-1'),
  hostedZoneId: 'Z0123456789',
});

export const stages = { dev, prod };

/** Stage dev with limits and a domain of its own, and dates of both versions. */
export const limited = deploy({
  throttleRate: '20',
  throttleBurst: '3',
  reservedConcurrency: 'payments/create=50, refunds/create=7',
  v1Deprecation: '2027-01-01',
  v1Sunset: '2028-01-01',
  v2Deprecation: '2027-01-01',
  v2Sunset: '2028-01-01',
  domainName: 'dev.example.com',
  certificateArn: certificate('eu-west-1'),
  hostedZoneId: 'Z0123456789',
});

/** Stage dev with CloudFront, without a web ACL and a domain. */
export const cached = deploy({ edge: 'true' });
