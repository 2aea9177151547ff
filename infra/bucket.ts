import { Duration, Validations } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Settings } from './stage.ts';

/** How long a file lives, in days (CONTRACT §9). S3 counts from the next midnight, so never less. */
const FILE_DAYS = 7;
/** What the reconciler has not aborted by then, it will not. */
const UPLOAD_DAYS = 1;

const NO_ACCESS_LOG =
  'A log of the requests would keep addresses that are as good as the files while they last. Each is made by the ' +
  'Lambda of GET …/file, whose request the access log of the gateway has.';

/**
 * Creates the bucket of the accounts' files: nobody reaches it but the functions, and whoever has an address that one of
 * them signed. It keeps no versions: every attempt at a file has a name of its own, and a file is gone when it is.
 */
export const createBucket = (scope: Construct, { removalPolicy }: Settings): Bucket => {
  const bucket = new Bucket(scope, 'exports-bucket', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
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
