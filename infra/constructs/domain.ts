import { CfnOutput } from 'aws-cdk-lib';
import { type CfnApi, CfnApiMapping, CfnDomainName, type CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import type { Domain } from '#infra/settings/stack-settings.ts';

/** Gives the gateway its own domain. */
export const createApiDomain = (scope: Construct, api: CfnApi, stage: CfnStage, domain: Domain): void => {
  const { name: domainName, certificateArn } = domain;
  const name = new CfnDomainName(scope, 'domain', {
    domainName,
    domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
  });
  const mapping = new CfnApiMapping(scope, 'domain-mapping', {
    apiId: api.ref,
    domainName: name.ref,
    stage: '$default',
  });
  mapping.addResourceDependency(stage);
  const target = { dnsName: name.attrRegionalDomainName, hostedZoneId: name.attrRegionalHostedZoneId };
  createRecords(scope, domain, ['A'], target);
};

/** CloudFront also serves IPv6. */
export const createEdgeRecords = (scope: Construct, { domainName: dnsName }: Distribution, domain: Domain): void =>
  createRecords(scope, domain, ['A', 'AAAA'], { dnsName, hostedZoneId: CloudFrontTarget.CLOUDFRONT_ZONE_ID });

/** Creates the records of the domain, or states their target for a zone that is elsewhere. */
const createRecords = (
  scope: Construct,
  { name, hostedZoneId }: Domain,
  types: readonly string[],
  aliasTarget: CfnRecordSet.AliasTargetProperty,
): void => {
  const value = aliasTarget.dnsName;
  new CfnOutput(scope, 'DomainTarget', { value, description: `Target of the DNS record of ${name}` });
  if (hostedZoneId === undefined) return;
  for (const type of types) new CfnRecordSet(scope, `domain-${type}`, { name, type, hostedZoneId, aliasTarget });
};
