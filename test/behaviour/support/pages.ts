import { expect } from '@jest/globals';
import type { Answer } from '#test/support/service/client.ts';
import type { Row } from './rows.ts';

export type Parameters = Readonly<Record<string, string | number>>;

export const query = (parameters: Parameters): string =>
  `?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]))}`;

export const idsOf = ({ json }: Answer): number[] => json.data.map(({ id }: Row) => id);

/** The targets of a Link header by relation (RFC 8288). */
export const links = ({ headers }: Pick<Answer, 'headers'>): Record<string, string> =>
  Object.fromEntries(
    (headers['link'] ?? '')
      .split(', ')
      .filter(Boolean)
      .map((link) => {
        const [, target = '', relation = ''] = /^<([^>]*)>; rel="([a-z]+)"$/.exec(link) ?? [];
        return [relation, target];
      }),
  );

/** The path and the parameters of each link. */
export const parsedLinks = (answer: Answer): Record<string, [string, Record<string, string>]> =>
  Object.fromEntries(
    Object.entries(links(answer)).map(([relation, target]) => {
      const [path = '', search = ''] = target.split('?');
      return [relation, [path, Object.fromEntries(new URLSearchParams(search))]];
    }),
  );

const MAX_PAGES = 100;

/** Follows the links `next` to the end. */
export const walk = async (
  first: string,
  read: (target: string) => Promise<Answer>,
): Promise<{ ids: number[]; answers: Answer[] }> => {
  const answers: Answer[] = [];
  for (let target: string | undefined = first; target; target = links(answers.at(-1) as Answer)['next']) {
    answers.push(await read(target));
    expect([target, answers.at(-1)?.status]).toEqual([target, 200]);
    if (answers.length > MAX_PAGES) throw new Error(`The walk from ${first} does not end.`);
  }
  return { ids: answers.flatMap(idsOf), answers };
};
