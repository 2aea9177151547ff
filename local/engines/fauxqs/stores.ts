import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { BuildAppOptions } from 'fauxqs';
import { createPrivateFile, openDirectory } from '#local/settings/private-files.ts';
import type { UploadInProgress } from './upload-rules.ts';
import type { Upload } from './uploads.ts';

export type EngineStores = NonNullable<BuildAppOptions['stores']>;
type Persistence = NonNullable<EngineStores['sqsStore']['persistence']>;

/** How long a server waits for the write of another server to the same file. */
const BUSY_MS = 5000;

const construct = async <T>(file: string, name: string, ...args: readonly unknown[]): Promise<T> => {
  const module = await import(new URL(file, import.meta.resolve('fauxqs')).href);
  return new module[name](...args) as T;
};

const persist = async (stores: EngineStores, directory: string): Promise<void> => {
  await openDirectory(directory);
  // SQLite would create a file that other users may read. Its additional files get the mode of the first file.
  await createPrivateFile(join(directory, 'fauxqs.db'));
  const file = await construct<Persistence>('persistence.js', 'PersistenceManager', directory);
  const db: DatabaseSync = file['db'];
  // Each write reaches the system's cache at once, and the disk later: a killed process loses nothing.
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA synchronous = NORMAL`);
  // fauxqs sets the receive count to NULL, which its own table rejects, so no message could be made visible at once.
  const ready = db.prepare(
    'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
  );
  file.updateMessageReady = (messageId) => void ready.run(messageId);
  // Loads before it sets the persistence: otherwise loading inserts the queues again, which deletes their messages.
  file.load(stores.sqsStore, stores.snsStore, stores.s3Store);
  for (const queue of stores.sqsStore.allQueues()) queue.persistence = file;
  Object.assign(stores.sqsStore, { persistence: file });
  Object.assign(stores.s3Store, { persistence: file });
};

/**
 * Opens the stores in the same way as `startFauxqs`, which listens at every address of the machine and so cannot be
 * used. The package does not export its stores, so this imports their files; the version is pinned.
 * @param directory contains the SQLite file; in memory without it
 */
export const openStores = async (directory: string | undefined): Promise<EngineStores> => {
  const stores: EngineStores = {
    sqsStore: await construct('sqs/sqsStore.js', 'SqsStore'),
    snsStore: await construct('sns/snsStore.js', 'SnsStore'),
    s3Store: await construct('s3/s3Store.js', 'S3Store'),
  };
  if (directory) await persist(stores, directory);
  return stores;
};

export const uploadsOf = ({
  s3Store,
}: EngineStores): ReadonlyMap<string, Upload & UploadInProgress & { bucket: string }> => s3Store['multipartUploads'];
