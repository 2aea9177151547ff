import { type App, CfnOutput, Fn, Stack } from 'aws-cdk-lib';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Settings } from './settings/settings.ts';
import type { Waf } from './settings/stack-settings.ts';

/** The only region of web ACLs for CloudFront. */
const REGION = 'us-east-1';
const OUTPUT = 'WebAcl';

const nameOf = ({ stage }: Settings): string => `invoicing-${stage}-web-acl`;

/** The ARN of the web ACL, for the stack in the stage's region. */
export const webAclArn = (settings: Settings): string => Fn.getStackOutput(nameOf(settings), OUTPUT, REGION);

/** The web ACL of a stage: a stack of its own, because it is in another region than the stage. */
export class WebAclStack extends Stack {
  constructor(app: App, settings: Settings, waf: Waf) {
    const description = `Web ACL of the invoicing REST service, stage ${settings.stage}`;
    super(app, nameOf(settings), { description, env: { region: REGION }, terminationProtection: settings.keepsData });
    const { attrArn: value } = new CfnWebACL(this, 'web-acl', {
      name: nameOf(settings),
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      customResponseBodies: { [TOO_MANY]: { contentType: 'APPLICATION_JSON', content: JSON.stringify(PROBLEM) } },
      rules: [
        rateRule(waf),
        ...Object.entries(MANAGED_RULES).map(([name, counted], i) => managedRule(name, counted, i + 1)),
      ],
      visibilityConfig: visibility('web-acl'),
      dataProtectionConfig: { dataProtections: PRIVATE_FIELDS.map((field) => ({ field, action: 'SUBSTITUTION' })) },
    });
    new CfnOutput(this, OUTPUT, { value, description: 'ARN of the web ACL' });
  }
}

/**
 * AWS's rule groups, with the rules that only count, because they match requests that the contract permits: bodies of
 * up to 256 KiB with any text, long cursors and filters, and clients without a User-Agent.
 */
const MANAGED_RULES: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesAmazonIpReputationList: [],
  AWSManagedRulesKnownBadInputsRuleSet: [],
  AWSManagedRulesCommonRuleSet: [
    'SizeRestrictions_BODY',
    'EC2MetaDataSSRF_BODY',
    'GenericLFI_BODY',
    'GenericRFI_BODY',
    'CrossSiteScripting_BODY',
    'SizeRestrictions_QUERYSTRING',
    'NoUserAgent_HEADER',
  ],
};

const managedRule = (name: string, counted: readonly string[], priority: number): CfnWebACL.RuleProperty => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: visibility(name),
});

const TOO_MANY = 'too-many-requests';

/** AWS WAF has no variables in a body, so the problem has no `request_id`. Its media type is always application/json. */
const PROBLEM = {
  type: `/problems/${TOO_MANY}`,
  title: 'Too many requests.',
  status: 429,
  detail: 'Too many requests came from this IP address.',
  code: TOO_MANY,
};

/** Comes first, so it counts every request. */
const rateRule = ({ rateLimit }: Waf): CfnWebACL.RuleProperty => ({
  name: 'rate-of-an-address',
  priority: 0,
  action: {
    block: {
      customResponse: {
        responseCode: PROBLEM.status,
        customResponseBodyKey: TOO_MANY,
        responseHeaders: [
          { name: 'Retry-After', value: '60' },
          { name: 'Cache-Control', value: 'no-store' },
        ],
      },
    },
  },
  statement: { rateBasedStatement: { limit: rateLimit, aggregateKeyType: 'IP', evaluationWindowSec: 300 } },
  visibilityConfig: visibility('rate-of-an-address'),
});

const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: true,
});

/** AWS WAF keeps samples of requests for three hours. As in the logs, they have no token, key, query or body. */
const PRIVATE_FIELDS: readonly CfnWebACL.FieldToProtectProperty[] = [
  { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization', 'idempotency-key'] },
  { fieldType: 'QUERY_STRING' },
  { fieldType: 'BODY' },
];
