import { type CfnElement, Duration, Validations } from 'aws-cdk-lib';
import type { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';
import { STORED_DAYS, UPLOAD_DAYS } from '#shared/invoicing/exports/lifetimes.ts';
import { wildcardFinding } from './statement.ts';

const NO_ACCESS_LOG =
  'An access log would store presigned URLs, which give access to the files until they expire. Each URL is created ' +
  'by GET …/file, and the access log of the gateway contains that request.';

const FILES_BY_WILDCARD =
  'The key of a file contains its account, its export and its attempt, which no policy can list. The wildcard covers ' +
  'the files of this bucket, which contains nothing else; the account in a key is that of the token or of the job.';

export const acknowledgeFiles = (role: Role, statements: readonly PolicyStatement[], bucket: Bucket): void => {
  const files = bucket.arnForObjects('*');
  if (!statements.some(({ resources }) => resources.includes(files))) return;
  const id = wildcardFinding(bucket.node.defaultChild as CfnElement, '/*');
  Validations.of(role).acknowledge({ id, reason: FILES_BY_WILDCARD });
};

/**
 * Creates the bucket of the accounts' files. Only the functions can access it, and clients with a presigned URL. It
 * needs no versions: every attempt at a file has its own key.
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
        expiration: Duration.days(STORED_DAYS),
        // The reconciler aborts them earlier: S3 counts from the midnight that follows.
        abortIncompleteMultipartUploadAfter: Duration.days(UPLOAD_DAYS),
      },
    ],
    // After the API's redirect, the browser sends `Origin: null`. The presigned URL authorizes the request, not a
    // cookie. The browser also keeps headers of tracing libraries, and asks for them in a preflight.
    cors: [{ allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ['*'], allowedHeaders: ['*'] }],
    removalPolicy,
  });
  Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: NO_ACCESS_LOG });
  return bucket;
};
