import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { BuildAppOptions } from 'fauxqs';
import type { UploadInProgress } from '#local/engines/guards/upload-rules.ts';
import { createPrivateFile, openDirectory } from '#local/settings/private-files.ts';
import type { Upload } from './uploads.ts';

/** Where fauxqs holds queues, topics and buckets. */
export type Stores = NonNullable<BuildAppOptions['stores']>;
type Persistence = NonNullable<Stores['sqsStore']['persistence']>;

/** How long one server waits for another one's write to the same file. */
const BUSY_MS = 5000;

const construct = async <T>(file: string, name: string, ...args: readonly unknown[]): Promise<T> => {
  const module = await import(new URL(file, import.meta.resolve('fauxqs')).href);
  return new module[name](...args) as T;
};

const persist = async (stores: Stores, directory: string): Promise<void> => {
  await openDirectory(directory);
  // SQLite makes a file that others may read, and gives the files that it adds the mode of the first.
  await createPrivateFile(join(directory, 'fauxqs.db'));
  const file = await construct<Persistence>('persistence.js', 'PersistenceManager', directory);
  // A private member by its type.
  const db: DatabaseSync = file['db'];
  // Written to the system's cache at once, and to the disk now and then: a process that is killed loses nothing.
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA synchronous = NORMAL`);
  // Its own sets the count of receipts to NULL, which its own table refuses: no message could be given back at once.
  const ready = db.prepare(
    'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
  );
  file.updateMessageReady = (messageId) => void ready.run(messageId);
  // Loaded before it is set, or the loading would write: a queue that is inserted again loses its messages.
  file.load(stores.sqsStore, stores.snsStore, stores.s3Store);
  for (const queue of stores.sqsStore.allQueues()) queue.persistence = file;
  Object.assign(stores.sqsStore, { persistence: file });
  Object.assign(stores.s3Store, { persistence: file });
};

/**
 * Opens the stores as `startFauxqs` does, which could not be used: it listens at every address of the machine. The
 * package does not export its stores, hence the way around by their files; the version is pinned.
 * @param directory where they are kept, in a file of SQLite's; in memory without it
 */
export const openStores = async (directory: string | undefined): Promise<Stores> => {
  const stores: Stores = {
    sqsStore: await construct('sqs/sqsStore.js', 'SqsStore'),
    snsStore: await construct('sns/snsStore.js', 'SnsStore'),
    s3Store: await construct('s3/s3Store.js', 'S3Store'),
  };
  if (directory) await persist(stores, directory);
  return stores;
};

/** The uploads that are under way, by their ids. */
export const uploadsOf = ({ s3Store }: Stores): ReadonlyMap<string, Upload & UploadInProgress & { bucket: string }> =>
  s3Store['multipartUploads'];
