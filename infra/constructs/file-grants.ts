import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Files } from '#shared/platform/files/files.ts';
import type { PresignedDownloads } from '#shared/platform/files/presigned-downloads.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import type { Worker } from '#shared/platform/worker.ts';
import { allow } from './statement.ts';

interface FileActions {
  readonly objects?: readonly string[];
  readonly bucket?: readonly string[];
}

/** S3 returns 404 for a missing object only to roles that may list the bucket; to others it returns 403. */
const READ: FileActions = { objects: ['GetObject'], bucket: ['ListBucket'] };
const WRITE: FileActions = { objects: ['PutObject'] };

const fileActions: Readonly<Record<keyof Files, readonly FileActions[]>> = {
  put: [WRITE],
  read: [READ],
  beginUpload: [WRITE],
  uploadPart: [WRITE],
  completeUpload: [WRITE, READ],
  abortUpload: [{ objects: ['AbortMultipartUpload'] }],
};

/** A presigned URL has the permissions of the role that signed it. */
const downloadActions: Readonly<Record<keyof PresignedDownloads, readonly FileActions[]>> = {
  url: [{ objects: ['GetObject'] }],
};

const crossAccountActions: Readonly<Record<keyof CrossAccountQueries, readonly FileActions[]>> = {
  due: [],
  held: [],
  waiting: [],
  accounts: [],
  uploads: [{ bucket: ['ListBucketMultipartUploads'] }],
};

/** The statements on the files of the accounts. */
export const fileStatements = (
  { files = [], downloads = [], across = [] }: Worker['uses'],
  bucket: Bucket,
): PolicyStatement[] => {
  const needed = [
    ...files.map((verb) => fileActions[verb]),
    ...downloads.map((verb) => downloadActions[verb]),
    ...across.map((verb) => crossAccountActions[verb]),
  ].flat();
  return [
    ...allow('s3', needed, 'objects', [bucket.arnForObjects('*')]),
    ...allow('s3', needed, 'bucket', [bucket.bucketArn]),
  ];
};
