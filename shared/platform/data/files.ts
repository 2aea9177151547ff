import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** An upload all of whose parts are stored. */
export interface StoredUpload {
  readonly id: string;
  /** The object's name among the account's files; no other upload has it. */
  readonly key: string;
  /** The ETag of each part, from part 1. */
  readonly etags: readonly string[];
  readonly bytes: number;
}

/** What S3 answers for something that is no longer there. */
const GONE = ['NoSuchUpload', 'NoSuchKey', 'NotFound', 'InvalidPart'];

const unlessGone = async <T>(attempt: Promise<T>): Promise<T | undefined> => {
  try {
    return await attempt;
  } catch (error) {
    if (GONE.includes((error as Error).name)) return undefined;
    throw error;
  }
};

/**
 * One account's files in the bucket: the account is part of every key, so that no other account's file can be
 * reached (§5). What is no longer there is an answer, not a fault.
 */
export class Files {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #account: string;
  readonly #options: { readonly abortSignal?: AbortSignal };

  /** @param ends cuts off every call, so that none outlasts the function */
  constructor(client: S3Client, bucket: string, account: string, ends?: AbortSignal) {
    this.#client = client;
    this.#bucket = bucket;
    this.#account = account;
    this.#options = ends ? { abortSignal: ends } : {};
  }

  async put(name: string, body: Uint8Array, type: string): Promise<void> {
    const input = { ...this.#object(name), Body: body, ContentType: type };
    await this.#client.send(new PutObjectCommand(input), this.#options);
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const found = await unlessGone(this.#client.send(new GetObjectCommand(this.#object(name)), this.#options));
    return found?.Body?.transformToByteArray();
  }

  /** Begins an upload in parts, each but the last of at least 5 MiB; answers its id. */
  async begin(name: string, type: string): Promise<string> {
    const input = { ...this.#object(name), ContentType: type };
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(input), this.#options);
    return UploadId as string;
  }

  /**
   * Writes a part, in place of one with its number.
   * @returns its ETag, or undefined when there is no such upload any more
   */
  async part(name: string, upload: string, number: number, body: Uint8Array): Promise<string | undefined> {
    const input = { ...this.#object(name), UploadId: upload, PartNumber: number, Body: body };
    return (await unlessGone(this.#client.send(new UploadPartCommand(input), this.#options)))?.ETag;
  }

  /**
   * Makes the parts one object, which may take S3 several minutes. When S3 knows the upload no longer, an earlier call
   * whose answer was lost may have completed it: then the object is there, because no other upload has its name. Its
   * ETag is not compared, because under SSE-KMS it cannot be computed from the parts.
   * @param signal ends the wait; the outcome is then unknown, and the same call again finds it out
   * @returns false when the upload is gone, or one of its parts has been replaced
   */
  async complete({ id, key, etags, bytes }: StoredUpload, signal: AbortSignal): Promise<boolean> {
    const Parts = etags.map((ETag, i) => ({ PartNumber: i + 1, ETag }));
    const input = { ...this.#object(key), UploadId: id, MultipartUpload: { Parts } };
    const { abortSignal: ends = signal } = this.#options;
    // No timeout of a single request: the client's own is far too short here.
    const options = { abortSignal: AbortSignal.any([signal, ends]), requestTimeout: 0 };
    if (await unlessGone(this.#client.send(new CompleteMultipartUploadCommand(input), options))) return true;
    const head = new HeadObjectCommand(this.#object(key));
    return (await unlessGone(this.#client.send(head, this.#options)))?.ContentLength === bytes;
  }

  /** Drops an upload with all its parts. */
  async abort(name: string, upload: string): Promise<void> {
    const input = { ...this.#object(name), UploadId: upload };
    await unlessGone(this.#client.send(new AbortMultipartUploadCommand(input), this.#options));
  }

  #object(name: string) {
    return { Bucket: this.#bucket, Key: `${this.#account}/${name}` };
  }
}
