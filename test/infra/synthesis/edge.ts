import { describe, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import type { Any, Deployment, Resource } from './deployment.ts';
import { cached, dev, limited, prod } from './stages.ts';

const [[webAclStack, webAcl] = []] = [...prod.others];
const distributionOf = ({ all }: Deployment): Any => {
  const [{ Properties, DependsOn }] = all('AWS::CloudFront::Distribution') as [Resource];
  return { ...Properties['DistributionConfig'], DependsOn };
};
const secretsOf = ({ resources }: Deployment): string[] =>
  Object.keys(resources).filter((id) => resources[id]?.Type === 'AWS::SecretsManager::Secret');
/** The ids of the secrets that a value consists of. */
const secretsIn = (value: Any): string[] => {
  const parts: Any[] = value['Fn::Join'][1];
  expect(parts.filter((part) => typeof part === 'string').join('')).toMatch(
    /^(\{\{resolve:secretsmanager::SecretString:::\}\},?)+$/,
  );
  return parts.filter((part) => part.Ref).map(({ Ref }) => Ref);
};
const variablesOf = ({ functions }: Deployment, files: readonly string[]): Any[] =>
  files.map((file) => functions[file]?.Properties['Environment'].Variables['EDGE_SECRETS']);

describe('the web ACL', () => {
  const [acl, ...others] = Object.values(webAcl.Resources) as [Resource];
  const rules: Any[] = acl.Properties['Rules'];

  test('the stack of the web ACL: in us-east-1, and the stage depends on it', () => {
    expect([webAclStack?.region, webAclStack?.stackName]).toEqual(['us-east-1', 'invoicing-prod-web-acl']);
    expect([acl.Type, others]).toEqual(['AWS::WAFv2::WebACL', []]);
    expect(prod.stack.dependencies).toContain(webAclStack);
    const reference = { StackName: 'invoicing-prod-web-acl', OutputName: 'WebAcl', Region: 'us-east-1' };
    expect(distributionOf(prod).WebACLId).toEqual({ 'Fn::GetStackOutput': reference });
    expect(webAcl.Outputs.WebAcl.Value).toEqual({ 'Fn::GetAtt': [expect.any(String), 'Arn'] });
  });

  test('without waf: no stack of a web ACL, and a distribution without one', () => {
    expect(cached.others.size).toBe(0);
    expect(distributionOf(cached)).not.toHaveProperty('WebACLId');
  });

  test('the first rule: blocks an IP address above the setting with a 429 problem', () => {
    const { Action, Statement } = rules[0];
    expect(Statement).toEqual({
      RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: 5000 },
    });
    const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = Action.Block.CustomResponse;
    expect([ResponseCode, ResponseHeaders[0]]).toEqual([429, { Name: 'Retry-After', Value: '60' }]);
    const { Content } = acl.Properties['CustomResponseBodies'][CustomResponseBodyKey];
    expect(JSON.parse(Content)).toMatchObject({ type: '/problems/too-many-requests', status: 429 });
  });

  test('the rule groups of AWS: block, except the rules that match requests of the contract [CONTRACT §10]', () => {
    const counted = rules.slice(1).map(({ Name, OverrideAction, Statement }) => {
      expect(OverrideAction).toEqual({ None: {} });
      const { RuleActionOverrides } = Statement.ManagedRuleGroupStatement;
      for (const { ActionToUse } of RuleActionOverrides) expect(ActionToUse).toEqual({ Count: {} });
      return [Name, RuleActionOverrides.map((rule: Any) => rule.Name)];
    });
    expect(counted).toEqual([
      ['AWSManagedRulesAmazonIpReputationList', []],
      ['AWSManagedRulesKnownBadInputsRuleSet', []],
      ['AWSManagedRulesCommonRuleSet', expect.arrayContaining(['SizeRestrictions_BODY', 'NoUserAgent_HEADER'])],
    ]);
    expect(rules.map(({ Priority }) => Priority)).toEqual([0, 1, 2, 3]);
  });

  test('samples of requests: without tokens, keys, queries and bodies', () => {
    const fields = acl.Properties['DataProtectionConfig'].DataProtections.map(({ Action, Field }: Any) => [
      Action,
      Field,
    ]);
    expect(fields).toEqual([
      ['SUBSTITUTION', { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization', 'idempotency-key'] }],
      ['SUBSTITUTION', { FieldType: 'QUERY_STRING' }],
      ['SUBSTITUTION', { FieldType: 'BODY' }],
    ]);
  });
});

describe('the secret of CloudFront', () => {
  test('with waf: CloudFront sends the secret of the setting, and every endpoint accepts it and the one before', () => {
    const [sent] = secretsIn(distributionOf(prod).Origins[0].OriginCustomHeaders[1].HeaderValue);
    expect(sent).toMatch(/^edgesecret3/);
    const variables = variablesOf(prod, Object.keys(endpoints));
    for (const accepted of variables)
      expect(secretsIn(accepted)).toEqual([sent, expect.stringMatching(/^edgesecret2/)]);
    expect(variablesOf(prod, Object.keys(workers)).filter(Boolean)).toEqual([]);
    expect(secretsOf(prod)).toHaveLength(2);
  });

  test('a new secret: reaches the functions before CloudFront sends it', () => {
    const lambdas = Object.keys(prod.resources).filter((id) => prod.resources[id]?.Type === 'AWS::Lambda::Function');
    expect(distributionOf(prod).DependsOn).toEqual(expect.arrayContaining(lambdas));
  });

  test('with edge alone: CloudFront sends it, and no function requires it; without edge: no secret', () => {
    expect(secretsIn(distributionOf(cached).Origins[0].OriginCustomHeaders[1].HeaderValue)).toHaveLength(1);
    for (const stage of [cached, dev]) expect(variablesOf(stage, Object.keys(endpoints)).filter(Boolean)).toEqual([]);
    expect(secretsOf(dev)).toEqual([]);
  });
});

describe('the domain', () => {
  const recordsOf = ({ all }: Deployment): Any[] =>
    all('AWS::Route53::RecordSet').map(({ Properties: { Type, Name, AliasTarget } }) => [Type, Name, AliasTarget]);

  test('with edge: an alias of CloudFront with TLS 1.2, and its records for IPv4 and IPv6', () => {
    const { Aliases, ViewerCertificate } = distributionOf(prod);
    expect(Aliases).toEqual(['api.example.com']);
    expect(ViewerCertificate).toMatchObject({ MinimumProtocolVersion: 'TLSv1.2_2021', SslSupportMethod: 'sni-only' });
    // The hosted zone of every distribution.
    const target = { DNSName: { 'Fn::GetAtt': [expect.any(String), 'DomainName'] }, HostedZoneId: 'Z2FDTNDATAQYW2' };
    expect(recordsOf(prod)).toEqual(['A', 'AAAA'].map((type) => [type, 'api.example.com', target]));
    expect(prod.all('AWS::ApiGatewayV2::DomainName')).toEqual([]);
  });

  test('without edge: a domain of the gateway that maps to its stage, and a record', () => {
    const [domain] = limited.all('AWS::ApiGatewayV2::DomainName') as [Resource];
    expect(domain.Properties).toMatchObject({
      DomainName: 'dev.example.com',
      DomainNameConfigurations: [{ EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' }],
    });
    const [mapping] = limited.all('AWS::ApiGatewayV2::ApiMapping') as [Resource];
    expect(mapping.Properties).toMatchObject({ Stage: '$default', DomainName: { Ref: 'domain' } });
    expect(mapping.DependsOn).toEqual(['stage']);
    const target = {
      DNSName: { 'Fn::GetAtt': ['domain', 'RegionalDomainName'] },
      HostedZoneId: { 'Fn::GetAtt': ['domain', 'RegionalHostedZoneId'] },
    };
    expect(recordsOf(limited)).toEqual([['A', 'dev.example.com', target]]);
  });

  test('no domain: no record and no target of one', () => {
    expect([recordsOf(dev), Object.keys(dev.outputs)]).toEqual([[], expect.not.arrayContaining(['DomainTarget'])]);
  });
});
