import { access } from './access.ts';
import { collections } from './collections.ts';
import type { Fault } from './fault.ts';
import { keysAndWrites } from './keys-and-writes.ts';
import { requests } from './requests.ts';
import { rules } from './rules.ts';
import { workers } from './workers.ts';

const GROUPS = [access, collections, keysAndWrites, requests, rules, workers];

/** The faults that npm run acceptance:faults plants, each with its file. */
export const faults: readonly (readonly [file: string, fault: Fault])[] = GROUPS.flatMap((files) =>
  Object.entries(files).flatMap(([file, list]) => list.map((fault) => [file, fault] as const)),
);
