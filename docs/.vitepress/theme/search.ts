import type { DefaultTheme } from 'vitepress';

type Options = NonNullable<NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']>['searchOptions']>;

/** Words of questions, which say nothing about the answer. */
const STOP_WORDS =
  /^(an?|and|are|as|at|be|by|can|do|does|for|from|how|i|if|in|is|it|my|of|on|or|the|to|what|when|where|which|why|with|you)$/i;

/** The weight of a section. Some would hide the guides, because many sections of them have the same words. */
const weightOf = (address: string, word: string): number => {
  const isSecond = address.includes('/v2/') && !/v2\w/.test(word);
  if (isSecond || /\/(programs|deploy|runbook|scaling|aws-unknowns)\b/.test(address)) return 0.2;
  return address.includes('/reference') ? 0.6 : 1;
};

/** The form of a request, such as `POST /payments`, that is one word for the search, with its version. */
export const wordOf = (request: string): string =>
  request.replace(/(^| )\/(?!v\d)/, '$1/v1/').replaceAll(/[^A-Za-z\d]/g, '');

/** How the search finds sections. In the configuration, the content security policy would forbid these functions. */
export const searchOptions: Options = {
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: weightOf,
  boostTerm: (term: string) => (/v\d\w/.test(term) ? 5 : 1),
  weights: { prefix: 0.4, fuzzy: 0.2 },
  fuzzy: (term: string) => term.length > 4 && 0.25,
  prefix: (term: string) => term.length > 1,
  tokenize: (query: string) => [...query.split(/[\s\p{P}]+/u), ...(query.includes('/') ? [wordOf(query)] : [])],
  processTerm: (term: string) => !STOP_WORDS.test(term) && term.toLowerCase(),
};
