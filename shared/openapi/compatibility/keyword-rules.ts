import { isDeepStrictEqual } from 'node:util';

/** Whether a client sends the value, or reads it. */
export type Direction = 'request' | 'response';

type Rule = (was: unknown, is: unknown) => boolean;

const isRaised: Rule = (was, is) => is !== undefined && (was === undefined || Number(is) > Number(was));
const isLowered: Rule = (was, is) => is !== undefined && (was === undefined || Number(is) < Number(was));
const isRestricted: Rule = (was, is) => is !== undefined && is !== was;
/** The width of an integer restricts nothing: `maximum` does. */
const isRestrictedFormat: Rule = (was, is) => isRestricted(was, is) && !['int32', 'int64'].includes(String(is));
const isReplaced: Rule = (was, is) => was !== undefined && !isDeepStrictEqual(was, is);

/**
 * Decides whether a change of a keyword can break a client. A raised limit cannot: a response has a value beyond the
 * former limit only after a client has sent it.
 */
export const KEYWORD_RULES: Readonly<Record<Direction, Readonly<Record<string, Rule>>>> = {
  request: {
    minimum: isRaised,
    exclusiveMinimum: isRaised,
    minLength: isRaised,
    minItems: isRaised,
    minProperties: isRaised,
    maximum: isLowered,
    exclusiveMaximum: isLowered,
    maxLength: isLowered,
    maxItems: isLowered,
    maxProperties: isLowered,
    multipleOf: isRestricted,
    uniqueItems: isRestricted,
    pattern: isRestricted,
    format: isRestrictedFormat,
    readOnly: isRestricted,
    default: isReplaced,
  },
  response: { format: isReplaced },
};
