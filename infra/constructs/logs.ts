import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

export const createLogs = (scope: Construct, id: string, { logRetention, removalPolicy }: Settings): LogGroup =>
  new LogGroup(scope, id, { retention: logRetention, removalPolicy });

/** Lets a Lambda write its log. The group's ARN ends in `:*`, because Lambda names the streams at run time. */
export const logStatement = (logs: LogGroup): PolicyStatement =>
  new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logs.logGroupArn] });
