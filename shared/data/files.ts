import { createHash } from 'node:crypto';
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

/** A part of an upload, as S3 has acknowledged it. */
export interface Part {
  readonly number: number;
  readonly etag: string;
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

/** The tag of an object made of these parts, which tells it from any other content. */
const tagOf = (parts: readonly Part[]): string => {
  const digests = parts.map(({ etag }) => Buffer.from(etag.replaceAll('"', ''), 'hex'));
  return `"${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-${parts.length}"`;
};

/**
 * One account's files in the bucket: the account is part of every key, so that no other account's file can be
 * reached (§5). What is no longer there is an answer, not a fault.
 */
export class Files {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #account: string;

  constructor(client: S3Client, bucket: string, account: string) {
    this.#client = client;
    this.#bucket = bucket;
    this.#account = account;
  }

  async put(name: string, body: Uint8Array, type: string): Promise<void> {
    await this.#client.send(new PutObjectCommand({ ...this.#object(name), Body: body, ContentType: type }));
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const found = await unlessGone(this.#client.send(new GetObjectCommand(this.#object(name))));
    return found?.Body?.transformToByteArray();
  }

  /** Begins an upload in parts, each but the last of at least 5 MiB; answers its id. */
  async begin(name: string, type: string): Promise<string> {
    const input = { ...this.#object(name), ContentType: type };
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(input));
    return UploadId as string;
  }

  /** Writes a part, in place of one with its number; undefined when there is no such upload any more. */
  async part(name: string, upload: string, number: number, body: Uint8Array): Promise<Part | undefined> {
    const input = { ...this.#object(name), UploadId: upload, PartNumber: number, Body: body };
    const written = await unlessGone(this.#client.send(new UploadPartCommand(input)));
    return written && { number, etag: written.ETag as string };
  }

  /**
   * Makes the parts one object; false when there is no such upload any more. An upload that an attempt whose answer
   * was lost has completed is known by the object's tag.
   */
  async complete(name: string, upload: string, parts: readonly Part[]): Promise<boolean> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
    const input = { ...this.#object(name), UploadId: upload, MultipartUpload: { Parts } };
    if (await unlessGone(this.#client.send(new CompleteMultipartUploadCommand(input)))) return true;
    const made = await unlessGone(this.#client.send(new HeadObjectCommand(this.#object(name))));
    return made?.ETag === tagOf(parts);
  }

  /** Drops an upload with all its parts. */
  async abort(name: string, upload: string): Promise<void> {
    await unlessGone(this.#client.send(new AbortMultipartUploadCommand({ ...this.#object(name), UploadId: upload })));
  }

  #object(name: string) {
    return { Bucket: this.#bucket, Key: `${this.#account}/${name}` };
  }
}
