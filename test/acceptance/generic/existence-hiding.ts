import { expect } from 'expect';
import type { Answer, Sent } from '../suite/service.ts';
import { type Collection, expectProblem, OTHER } from './collection.ts';
import { generic, groupOf } from './group.ts';

/** The parts of a response that a client sees, without the id and without members that differ between equal responses. */
const shown = (notes: Collection, answer: Answer, path: string) => {
  const id = decodeURIComponent(path.split('/').at(-1) as string);
  const varying = notes.profile.varies.map((name) => answer.json?.[name]).filter((value) => value !== undefined);
  const hide = (text: string) =>
    [path, ...varying.map(String)]
      .reduce((rest, value) => rest.replaceAll(value, ''), text)
      .replaceAll(new RegExp(`\\b${id.replace(/\W/g, '\\$&')}\\b`, 'g'), '');
  const headers = Object.entries(notes.headersOf(answer)).map(([name, value]) => [name, hide(value)]);
  return [answer.status, headers, hide(answer.text)];
};

/** Sends the same request for a member of another account and for a missing one. */
const compare = async (
  notes: Collection,
  sent: Sent,
  expected: number | undefined = notes.profile.statuses.missing,
) => {
  const { path } = await notes.create();
  const before = await notes.send(path);
  const foreign = await notes.send(path, { ...sent, as: OTHER });
  const missing = await notes.send(notes.missing, { ...sent, as: OTHER });
  if (sent.method !== 'HEAD') expectProblem(notes, foreign, expected);
  expect(shown(notes, foreign, path)).toEqual(shown(notes, missing, notes.missing));
  const after = await notes.send(path);
  expect([after.status, after.text]).toEqual([200, before.text]);
};

export const existenceHiding = groupOf('existence hiding', [
  generic('§5', 'GET of a member of another account: the response for a missing one', (notes) =>
    compare(notes, { method: 'GET' }),
  ),
  generic(
    '§5',
    'HEAD of a member of another account: the response for a missing one',
    (notes) => compare(notes, { method: 'HEAD' }),
    'HEAD',
  ),
  generic('§5', 'a change of a member of another account: the response for a missing one, and it stays', (notes) =>
    compare(notes, { method: notes.profile.change_method, body: notes.body('change') }),
  ),
  generic(
    '§5',
    'DELETE of a member of another account: the response for a missing one, and it stays',
    (notes) => compare(notes, { method: 'DELETE' }),
    'delete',
  ),
  generic(
    '§5',
    'a change of a member of another account with a stale If-Match: 404, not 412',
    (notes) =>
      compare(notes, {
        method: notes.profile.change_method,
        body: notes.body('change'),
        headers: { 'if-match': '"no-such-tag"' },
      }),
    'conditional requests',
  ),
  generic(
    '§5',
    'GET of a member of another account with If-None-Match *: 404, not 304',
    (notes) => compare(notes, { headers: { 'if-none-match': '*' } }),
    'conditional requests',
  ),
  generic('§5', 'an invalid change of a member of another account: the response for a missing one', async (notes) => {
    const sent = { method: notes.profile.change_method, body: notes.profile.invalid };
    const { status } = await notes.send(notes.missing, { ...sent, as: OTHER });
    expect([notes.profile.statuses.missing, notes.profile.statuses.invalid]).toContain(status);
    await compare(notes, sent, status);
  }),
  generic('§5', 'the lists of two accounts: each has its own members alone', async (notes) => {
    const [own, other] = [await notes.create(), await notes.create(OTHER)];
    const [ownIds, otherIds] = [await notes.ids(), await notes.ids(OTHER)];
    expect([ownIds.includes(own.id), ownIds.includes(other.id)]).toEqual([true, false]);
    expect([otherIds.includes(own.id), otherIds.includes(other.id)]).toEqual([false, true]);
  }),
]);
