import type { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { Deployment } from '#infra/operations/deployment.ts';
import { fileKey, filePrefix } from '#shared/platform/files/file-key.ts';
import { Files } from '#shared/platform/files/files.ts';
import { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';

/** The files of one account in the bucket. One call is made at a time. */
export class AccountFiles {
  readonly #deployment: Deployment;
  readonly #account: string;

  constructor(deployment: Deployment, account: string) {
    this.#deployment = deployment;
    this.#account = account;
  }

  /** The files, by the keys of their objects without the account; a size is in bytes. */
  async *list(): AsyncGenerator<{ readonly name: string; readonly size: number }> {
    const { s3, bucket: Bucket } = this.#deployment;
    const Prefix = filePrefix(this.#account);
    for (let ContinuationToken: string | undefined; ; ) {
      const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }));
      for (const { Key = '', Size: size = 0 } of page.Contents ?? []) yield { name: Key.slice(Prefix.length), size };
      ContinuationToken = page.NextContinuationToken;
      if (!ContinuationToken) return;
    }
  }

  async read(name: string): Promise<Readable> {
    const { Body } = await this.#deployment.s3.send(new GetObjectCommand(this.#object(name)));
    return Body as Readable;
  }

  async delete(name: string): Promise<void> {
    await this.#deployment.s3.send(new DeleteObjectCommand(this.#object(name)));
  }

  /** The uploads in parts that are neither completed nor aborted. */
  async *uploads(): AsyncGenerator<{ readonly id: string; readonly name: string }> {
    const { dynamo: client, tableNames, s3, bucket } = this.#deployment;
    const across = new CrossAccountQueries({ client, tableNames }, s3, bucket, new AbortController().signal);
    for await (const upload of across.uploads()) if (upload.account_id === this.#account) yield upload;
  }

  abort({ id, name }: { readonly id: string; readonly name: string }): Promise<void> {
    const { s3, bucket } = this.#deployment;
    return new Files(s3, bucket, this.#account).abortUpload(name, id);
  }

  #object(name: string) {
    return { Bucket: this.#deployment.bucket, Key: fileKey(this.#account, name) };
  }
}
