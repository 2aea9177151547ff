/** The beginning of the keys of an account's files (§5). An account id contains no `/` (CONTRACT §2). */
export const filePrefix = (account: string): string => `${account}/`;

/** The key of the object with an account's file. */
export const fileKey = (account: string, name: string): string => filePrefix(account) + name;
