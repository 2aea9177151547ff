import type { Upload } from '#shared/domain/export-job.ts';
import type { Places } from './worker.ts';

/** What a checkpoint builds on is gone: the file is to be begun anew. */
export class Gone extends Error {}

type Files = Pick<Places['files'], 'begin' | 'part' | 'complete'>;

/** A file in S3 that is written in parts, or goes on where a former attempt stopped. */
export class Parts {
  readonly #files: Files;
  readonly #key: string;
  readonly #type: string;
  #upload: Upload | undefined;
  /** A former attempt may still be writing the next part: its number is passed over. */
  #skipped = 1;

  /** @param key the name of the file, where there is no upload yet */
  constructor(files: Files, key: string, type: string, upload: Upload | undefined) {
    this.#files = files;
    this.#key = key;
    this.#type = type;
    this.#upload = upload;
  }

  /** What is uploaded so far; nothing before the first part. */
  get upload(): Upload | undefined {
    return this.#upload;
  }

  /** @throws Gone when there is no such upload any more */
  async add(bytes: Uint8Array): Promise<void> {
    const { id, key, parts, bytes: before } = this.#upload ?? (await this.#begin());
    const number = (parts.at(-1)?.number ?? 0) + 1 + this.#skipped;
    const part = await this.#files.part(key, id, number, bytes);
    if (!part) throw new Gone();
    this.#skipped = 0;
    this.#upload = { id, key, parts: [...parts, part], bytes: before + bytes.length };
  }

  /** Makes the parts one file. */
  async complete({ key, id, parts }: Upload): Promise<void> {
    if (!(await this.#files.complete(key, id, parts))) throw new Gone();
  }

  async #begin(): Promise<Upload> {
    return { id: await this.#files.begin(this.#key, this.#type), key: this.#key, parts: [], bytes: 0 };
  }
}
