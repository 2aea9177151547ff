import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

/** Creates a log group that forgets in time. */
export const createLogs = (scope: Construct, id: string, { logRetention, removalPolicy }: Settings): LogGroup =>
  new LogGroup(scope, id, { retention: logRetention, removalPolicy });

/**
 * The statement by which a Lambda writes its log. The group's ARN ends in `:*`, for its streams: Lambda makes up
 * their names as it runs, so that no policy can spell them out.
 */
export const writing = (logs: LogGroup): PolicyStatement =>
  new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logs.logGroupArn] });
