/** How long a file can be downloaded, from the completion of its export (CONTRACT §9). */
export const FILE_DAYS = 7;

/** Exports that share a partition can take days (docs/scaling.md). The reconciler aborts an older upload. */
export const UPLOAD_DAYS = 7;

/**
 * How long S3 keeps a file. S3 counts from the beginning of its upload, and {@link FILE_DAYS} from the end. The last day
 * covers the minutes of the reconciler, of S3's completion of the upload and of a last download.
 */
export const STORED_DAYS = FILE_DAYS + UPLOAD_DAYS + 1;
