import { deploy } from './deployment.ts';

/** The context that stage prod requires. */
export const PROD = {
  stage: 'prod',
  issuer: 'https://id.example.com/',
  audience: 'invoicing',
  jwksUrl: 'https://id.example.com/.well-known/jwks.json',
};

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
});

export const stages = { dev, prod };

/** Stage dev with limits of its own, and dates of both versions. */
export const limited = deploy({
  rateLimitPerSecond: '2',
  throttleRate: '3',
  throttleBurst: '20',
  reservedConcurrency: 'payments/create=50, refunds/create=7',
  v1Deprecation: '2027-01-01',
  v1Sunset: '2028-01-01',
  v2Deprecation: '2027-01-01',
  v2Sunset: '2028-01-01',
});
