import { expect } from 'expect';
import { expectProblem } from './collection.ts';
import { generic, groupOf } from './group.ts';

const UNKNOWN_PATH = '/no-such-path';

export const problemDetails = groupOf('problem details', [
  generic('§7', 'a missing member: 404', async (notes) => {
    expectProblem(notes, await notes.send(notes.missing), notes.profile.statuses.missing);
  }),
  generic('§7', 'an unknown path: 404', async (notes) => {
    const { unknown_path = UNKNOWN_PATH, statuses } = notes.profile;
    expectProblem(notes, await notes.send(unknown_path), statuses.missing);
  }),
  generic('§7', 'malformed JSON: 400', async (notes) => {
    const answer = await notes.post('{"', { headers: { 'content-type': 'application/json' } });
    expectProblem(notes, answer, notes.profile.statuses.malformed_json);
  }),
  generic('§7', 'an invalid body: 422, and nothing is created', async (notes) => {
    const before = await notes.ids();
    expectProblem(notes, await notes.post(notes.profile.invalid), notes.profile.statuses.invalid);
    expect(await notes.ids()).toEqual(before);
  }),
  generic('§7', 'a change with an invalid body: 422, and nothing changes', async (notes) => {
    const { path } = await notes.create();
    const before = await notes.send(path);
    expectProblem(notes, await notes.change(path, { body: notes.profile.invalid }), notes.profile.statuses.invalid);
    expect((await notes.send(path)).text).toBe(before.text);
  }),
  generic('RFC 9110 §15.5.16', 'a body that is not JSON by its Content-Type: 415', async (notes) => {
    const body = JSON.stringify(notes.body());
    const answer = await notes.post(body, { headers: { 'content-type': 'text/plain' } });
    expectProblem(notes, answer, notes.profile.statuses.media_type);
  }),
  generic('RFC 9110 §15.5.6', 'a method that the collection does not have: 405 with Allow', async (notes) => {
    const answer = await notes.send(notes.profile.collection, { method: 'PATCH', body: {} });
    expectProblem(notes, answer, notes.profile.statuses.method);
    const allowed = answer.headers['allow']?.split(/\s*,\s*/) ?? [];
    expect(allowed).toEqual(expect.arrayContaining(['GET', 'POST']));
    expect(allowed).not.toContain('PATCH');
  }),
  generic('RFC 9457 §3.1.3', 'the same problem of two requests: the same type and title', async (notes) => {
    const { path } = await notes.create();
    const [one, two] = [await notes.send(notes.missing), await notes.send(`${path}0`)];
    expect([two.json.type, two.json.title]).toEqual([one.json.type, one.json.title]);
  }),
]);
