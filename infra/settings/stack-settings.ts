import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { endpoints } from '#functions/index.ts';
import { flag, numbersByName, oneOf, positiveInteger, type ReadContext, rejectAlone, textMatching } from './context.ts';
import type { Preset, Stage } from './stages.ts';

export interface Waf {
  /** The requests of one IP address in five minutes. */
  readonly rateLimit: number;
}

export interface Domain {
  readonly name: string;
  readonly certificateArn: string;
  readonly hostedZoneId: string | undefined;
}

/** The settings of the deployment alone. The functions do not know them. */
export interface StackSettings extends Pick<Preset, 'throttle'> {
  readonly architecture: Architecture;
  /** The reserved concurrency of functions, which is also their limit, by the endpoint's file. */
  readonly reservedConcurrency: Readonly<Record<string, number>>;
  /** Whether the stage's own KMS key encrypts the data, instead of the account's keys of each service. */
  readonly customerKey: boolean;
  /** The e-mail address that gets the alarms. */
  readonly alarmEmail: string | undefined;
  /** The URL of the runbook, whose sections the alarms link to. */
  readonly runbook: string;
  /** Whether CloudFront serves the API (docs/cdn.md). */
  readonly edge: boolean;
  /** The number of the secret that CloudFront sends to the gateway. The next number is another secret. */
  readonly edgeSecret: number;
  /** The web ACL of CloudFront. With one, the functions refuse requests that do not come from CloudFront. */
  readonly waf: Waf | undefined;
  /** The domain of CloudFront, or of the gateway without CloudFront. */
  readonly domain: Domain | undefined;
  /** The deployed commit; the pipeline's rollback reads it (docs/ci-cd.md). */
  readonly commit: string | undefined;
}

const architectures: Readonly<Record<string, Architecture>> = {
  arm64: Architecture.ARM_64,
  x86_64: Architecture.X86_64,
  host: process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
};

export const readStackSettings = (read: ReadContext, { throttle }: Stage): StackSettings => ({
  throttle: {
    rate: positiveInteger('throttleRate', read, throttle.rate),
    burst: positiveInteger('throttleBurst', read, throttle.burst),
  },
  architecture: oneOf('arch', architectures, read('arch') ?? 'arm64'),
  reservedConcurrency: numbersByName('reservedConcurrency', Object.keys(endpoints), read),
  customerKey: flag('customerKey', read),
  alarmEmail: textMatching('alarmEmail', /^[^\s@]+@[^\s@]+$/, 'an e-mail address', read),
  runbook: textMatching('runbook', /^https:\/\/\S+$/, 'an https: URL', read) ?? 'docs/runbook.md',
  edge: flag('edge', read),
  edgeSecret: positiveInteger('edgeSecret', read, 1),
  waf: readWaf(read),
  domain: readDomain(read),
  commit: textMatching('commit', /^[0-9a-f]{7,40}$/, 'the SHA of a commit', read),
});

/** The default permits one account its budget of 100 requests a second. */
const WAF_RATE_LIMIT = 30_000;

const readWaf = (read: ReadContext): Waf | undefined => {
  rejectAlone('wafRateLimit', 'waf', read);
  for (const key of ['waf', 'edgeSecret']) rejectAlone(key, 'edge', read);
  const rateLimit = positiveInteger('wafRateLimit', read, WAF_RATE_LIMIT, 10);
  return flag('waf', read) ? { rateLimit } : undefined;
};

const CERTIFICATE = /^arn:aws:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/;
/** CloudFront accepts only certificates of this region. */
const EDGE_CERTIFICATE = /^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/;

const readDomain = (read: ReadContext): Domain | undefined => {
  rejectAlone('domainName', 'certificateArn', read);
  for (const key of ['certificateArn', 'hostedZoneId']) rejectAlone(key, 'domainName', read);
  const name = textMatching('domainName', /^([a-z0-9-]{1,63}\.)+[a-z]{2,63}$/, 'a domain name', read);
  const hostedZoneId = textMatching('hostedZoneId', /^Z[A-Z0-9]{1,31}$/, 'the id of a hosted zone of Route 53', read);
  const [pattern, region] = flag('edge', read)
    ? [EDGE_CERTIFICATE, ' in us-east-1 (for CloudFront)']
    : [CERTIFICATE, ''];
  const certificateArn = textMatching('certificateArn', pattern, `the ARN of a certificate of ACM${region}`, read);
  return name && certificateArn ? { name, certificateArn, hostedZoneId } : undefined;
};
