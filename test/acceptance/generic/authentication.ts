import { expect } from 'expect';
import type { Sent } from '../suite/service.ts';
import { type Collection, expectProblem } from './collection.ts';
import { generic, groupOf } from './group.ts';

const expectUnauthenticated = async (notes: Collection, target: string, sent: Sent) => {
  const answer = await notes.send(target, { ...sent, as: 'nobody' });
  expectProblem(notes, answer, notes.profile.statuses.unauthenticated);
  const { challenge } = notes.profile.authorization;
  expect(answer.headers['www-authenticate']?.split(' ')[0]?.toLowerCase()).toBe(challenge.toLowerCase());
};

/** Other texts of the same length: the last character of a signature may have bits that do not count. */
const altered = (token: string): string[] =>
  [0, token.length >> 1, token.length - 8]
    .filter((at) => at >= 0)
    .map((at) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1));

export const authentication = groupOf('authentication', [
  generic('§5', 'a read without a token: 401 with WWW-Authenticate', async (notes) => {
    const { path } = await notes.create();
    for (const target of [notes.profile.collection, path]) await expectUnauthenticated(notes, target, {});
  }),
  generic('§5', 'a creation without a token: 401, and nothing is created', async (notes) => {
    const before = await notes.ids();
    await expectUnauthenticated(notes, notes.profile.collection, { method: 'POST', body: notes.body() });
    expect(await notes.ids()).toEqual(before);
  }),
  generic('§5', 'a change without a token: 401, and nothing changes', async (notes) => {
    const { path } = await notes.create();
    const { text } = await notes.send(path);
    const { change_method } = notes.profile;
    await expectUnauthenticated(notes, path, { method: change_method, body: notes.body('change') });
    expect((await notes.send(path)).text).toBe(text);
  }),
  generic(
    '§5',
    'a DELETE without a token: 401, and the member remains',
    async (notes) => {
      const { path } = await notes.create();
      await expectUnauthenticated(notes, path, { method: 'DELETE' });
      expect((await notes.send(path)).status).toBe(200);
    },
    'delete',
  ),
  generic('§5', 'an altered or an unknown token: 401', async (notes) => {
    for (const token of [...altered(await notes.service.token()), 'x'])
      await expectUnauthenticated(notes, notes.profile.collection, { headers: notes.authorization(token) });
  }),
  generic('RFC 9110 §11.1', 'the token under another scheme: 401', async (notes) => {
    const [name = '', value = ''] = Object.entries(notes.authorization(await notes.service.token()))[0] ?? [];
    await expectUnauthenticated(notes, notes.profile.collection, { headers: { [name]: `Other ${value}` } });
  }),
  generic('§5', 'a missing member, and malformed JSON, without a token: 401 comes first', async (notes) => {
    await expectUnauthenticated(notes, notes.missing, {});
    const headers = { 'content-type': 'application/json' };
    await expectUnauthenticated(notes, notes.profile.collection, { method: 'POST', body: '{"', headers });
  }),
]);
