import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { clientOptions } from '#shared/platform/dynamodb/client-options.ts';
import { fileKey } from './file-key.ts';

/** A multipart upload with all parts stored, not yet completed. */
export interface StoredUpload {
  readonly id: string;
  /** The object's key without the account; no other upload uses it. */
  readonly key: string;
  readonly etags: readonly string[];
  readonly bytes: number;
}

/** One account's files: the account is part of every key (§5). A missing object or upload is not an error. */
export class Files {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #account: string;
  readonly #options: { readonly abortSignal?: AbortSignal };

  /** @param deadline aborts every call */
  constructor(client: S3Client, bucket: string, account: string, deadline?: AbortSignal) {
    this.#client = client;
    this.#bucket = bucket;
    this.#account = account;
    this.#options = deadline ? { abortSignal: deadline } : {};
  }

  async put(name: string, body: Uint8Array, type: string): Promise<void> {
    const input = { ...this.#object(name), Body: body, ContentType: type };
    await this.#client.send(new PutObjectCommand(input), this.#options);
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const response = await undefinedIfMissing(
      this.#client.send(new GetObjectCommand(this.#object(name)), this.#options),
    );
    return response?.Body?.transformToByteArray();
  }

  /** Begins a multipart upload and returns its id; S3 requires at least 5 MiB for each part except the last. */
  async beginUpload(name: string, type: string): Promise<string> {
    const input = { ...this.#object(name), ContentType: type };
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(input), this.#options);
    return UploadId as string;
  }

  /**
   * Writes a part, or replaces the part with this number.
   * @returns its ETag, or undefined when the upload no longer exists
   */
  async uploadPart(name: string, upload: string, number: number, body: Uint8Array): Promise<string | undefined> {
    const input = { ...this.#object(name), UploadId: upload, PartNumber: number, Body: body };
    return (await undefinedIfMissing(this.#client.send(new UploadPartCommand(input), this.#options)))?.ETag;
  }

  /**
   * Completes the upload, which may take S3 several minutes. When S3 reports that the upload does not exist, an earlier
   * call with a lost response may have completed it. Then the object exists, because no other upload uses its key. Its
   * ETag is not compared: with SSE-KMS it cannot be computed from the parts.
   * @param signal ends the wait; the outcome is then unknown until the same call is repeated
   * @returns false when the upload no longer exists, or one of its parts has been replaced
   */
  async completeUpload({ id, key, etags, bytes }: StoredUpload, signal: AbortSignal): Promise<boolean> {
    const Parts = etags.map((ETag, i) => ({ PartNumber: i + 1, ETag }));
    const input = { ...this.#object(key), UploadId: id, MultipartUpload: { Parts } };
    const { abortSignal: deadline = signal } = this.#options;
    // The client's request timeout is far too short here.
    const options = { abortSignal: AbortSignal.any([signal, deadline]), requestTimeout: 0 };
    if (await undefinedIfMissing(this.#client.send(new CompleteMultipartUploadCommand(input), options))) return true;
    const head = new HeadObjectCommand(this.#object(key));
    return (await undefinedIfMissing(this.#client.send(head, this.#options)))?.ContentLength === bytes;
  }

  async abortUpload(name: string, upload: string): Promise<void> {
    const input = { ...this.#object(name), UploadId: upload };
    await undefinedIfMissing(this.#client.send(new AbortMultipartUploadCommand(input), this.#options));
  }

  #object(name: string) {
    return { Bucket: this.#bucket, Key: fileKey(this.#account, name) };
  }
}

const MISSING_ERRORS = ['NoSuchUpload', 'NoSuchKey', 'NotFound', 'InvalidPart'];

const undefinedIfMissing = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (MISSING_ERRORS.includes((error as Error).name)) return undefined;
    throw error;
  }
};

/**
 * The time is enough for a part of 8 MiB. There is no socket timeout, because the completion of an upload can pause for
 * minutes: the deadline of the worker ends a call whose body stops.
 */
const TIMEOUTS = { requestTimeout: 10_000 };

/**
 * The embedded S3 supports path-style URLs only. By default, the SDK would add a CRC32 to each part, which S3 accepts
 * only in an upload created for it. The signature covers each part's SHA-256 anyway.
 */
export const createS3Client = (): S3Client =>
  new S3Client({
    ...clientOptions(TIMEOUTS),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    forcePathStyle: Boolean(process.env['AWS_ENDPOINT_URL_S3']),
  });
