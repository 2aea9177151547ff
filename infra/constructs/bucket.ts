import { Duration, Stack, Validations } from 'aws-cdk-lib';
import type { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

/**
 * How long a file is kept, in days: 7 (CONTRACT §9), and one more, for S3 counts from the midnight after an upload was
 * begun, and the service from its end.
 */
const FILE_DAYS = 7 + 1;
/** What the reconciler has not aborted by then, it will not. */
const UPLOAD_DAYS = 1;

const NO_ACCESS_LOG =
  'A log of the requests would keep addresses that are as good as the files while they last. Each is made by the ' +
  'Lambda of GET …/file, whose request the access log of the gateway has.';

const FILES_BY_WILDCARD =
  'A file is called by its account, its export and the attempt at it: no policy can spell that out. The wildcard stands ' +
  'for the files of this bucket, which holds nothing else; the account in a key is always the one of the token or the job.';

/** Acknowledges that a role reaches every file of the bucket, if its statements do. */
export const acknowledgeFiles = (role: Role, statements: readonly PolicyStatement[], bucket: Bucket): void => {
  const files = bucket.arnForObjects('*');
  if (!statements.some(({ resources }) => resources.includes(files))) return;
  const id = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnBucket);
  const finding = `AwsSolutions-IAM5[Resource::<${id}.Arn>/*]`;
  Validations.of(role).acknowledge({ id: finding, reason: FILES_BY_WILDCARD });
};

/**
 * Creates the bucket of the accounts' files: nobody reaches it but the functions, and whoever has an address that one of
 * them signed. It keeps no versions: every attempt at a file has a name of its own, and a file is gone when it is.
 */
export const createBucket = (scope: Construct, { removalPolicy }: Settings, key?: IKey): Bucket => {
  const bucket = new Bucket(scope, 'exports-bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    ...(key
      ? { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }
      : { encryption: BucketEncryption.S3_MANAGED }),
    enforceSSL: true,
    lifecycleRules: [
      {
        expiration: Duration.days(FILE_DAYS),
        abortIncompleteMultipartUploadAfter: Duration.days(UPLOAD_DAYS),
      },
    ],
    // A browser that was sent here by the API names no origin any more; who may read is in the address, not in a cookie.
    cors: [{ allowedMethods: [HttpMethods.GET], allowedOrigins: ['*'] }],
    removalPolicy,
  });
  Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: NO_ACCESS_LOG });
  return bucket;
};
