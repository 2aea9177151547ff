import type { DefaultTheme } from 'vitepress';

type Options = NonNullable<NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']>['searchOptions']>;

/** Words of questions, which say nothing about the answer. */
const STOP_WORDS =
  /^(an?|and|are|as|at|be|by|can|do|does|for|from|how|i|if|in|is|it|my|of|on|or|the|to|what|when|where|which|why|with|you)$/;

/** Pages that would hide the guides: many sections of them have the same words. */
const WEIGHTS: Readonly<Record<string, number>> = {
  programs: 0.3,
  reference: 0.6,
  deploy: 0.2,
  runbook: 0.2,
  scaling: 0.2,
  'aws-unknowns': 0.2,
};

/** The form of a request, such as `POST /v1/payments`, that is one word for the search. */
export const wordOf = (request: string): string => request.replaceAll(/[^A-Za-z\d]/g, '');

/**
 * How the search finds sections. It is no part of the configuration of the site, because the page would evaluate the
 * functions from text, which the content security policy forbids.
 */
export const searchOptions: Options = {
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: (address: string) => WEIGHTS[address.split(/[/#]/)[2] ?? ''] ?? 1,
  fuzzy: (term: string) => term.length > 4 && 0.2,
  prefix: (term: string) => term.length > 1,
  tokenize: (query: string) => [...query.split(/[\s\p{P}]+/u), ...(query.includes('/') ? [wordOf(query)] : [])],
  processTerm: (term: string) => {
    const word = term.toLowerCase();
    return !STOP_WORDS.test(word) && word;
  },
};
