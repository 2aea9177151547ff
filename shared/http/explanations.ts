import type { RefusalCode } from '#shared/domain/refusal.ts';
import { EXPLAINED_REQUESTS } from './explained-requests.ts';
import { EXPLAINED_RULES } from './explained-rules.ts';

/** What a client should know of a code beyond its title. */
export interface Explanation {
  /** What the answer says, in a sentence or two. */
  readonly meaning: string;
  /** How it comes about. */
  readonly cause: string;
  /** What to do now. */
  readonly remedy: string;
}

/** Every code explained (CONTRACT §10): the compiler asks for what is missing. */
export const EXPLANATIONS: Readonly<Record<RefusalCode, Explanation>> = { ...EXPLAINED_REQUESTS, ...EXPLAINED_RULES };
