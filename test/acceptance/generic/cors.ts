import { expect } from 'expect';
import type { Answer } from '../suite/service.ts';
import type { Collection } from './collection.ts';
import { generic, groupOf } from './group.ts';

const PREFLIGHT = 'access-control-request-method';

const wordsOf = (value = ''): string[] =>
  value
    .toLowerCase()
    .split(',')
    .map((word) => word.trim());

const fromOrigin = ({ profile }: Collection) => ({ headers: { origin: profile.cors.origin } });

/** Expects that a page of the origin may read the response. */
const expectAllowed = ({ profile }: Collection, { headers }: Answer) => {
  const { 'access-control-allow-origin': allowed, vary } = headers;
  expect(['*', profile.cors.origin]).toContain(allowed);
  // A shared cache must not hand the response to a page of another origin.
  if (allowed !== '*') expect(wordsOf(vary)).toContain('origin');
};

const preflight = async (notes: Collection, path: string, method: string, names: readonly string[]) => {
  const answer = await notes.send(path, {
    method: 'OPTIONS',
    as: 'nobody',
    headers: { ...fromOrigin(notes).headers, [PREFLIGHT]: method, 'access-control-request-headers': names.join(', ') },
  });
  expect([answer.status, answer.text]).toEqual([notes.profile.statuses.preflight, '']);
  expectAllowed(notes, answer);
  expect(wordsOf(answer.headers['access-control-allow-methods'])).toContain(method.toLowerCase());
  const allowed = wordsOf(answer.headers['access-control-allow-headers']);
  expect(allowed).toEqual(expect.arrayContaining(names.map((name) => name.toLowerCase())));
};

export const cors = groupOf('CORS', [
  generic('Fetch §3.3', 'responses of the list and of a member: a page may read them', async (notes) => {
    const { path } = await notes.create();
    for (const target of [notes.profile.collection, path])
      expectAllowed(notes, await notes.send(target, fromOrigin(notes)));
  }),
  generic('Fetch §3.3', 'a creation: a page may read it', async (notes) => {
    const answer = await notes.post(notes.body(), fromOrigin(notes));
    notes.toMember(answer);
    expectAllowed(notes, answer);
  }),
  generic('Fetch §3.3', 'a member: a page may read its own headers', async (notes) => {
    const { path } = await notes.create();
    const { headers } = await notes.send(path, fromOrigin(notes));
    const exposed = wordsOf(headers['access-control-expose-headers']);
    expect(exposed).toEqual(expect.arrayContaining(notes.profile.cors.exposes.map((name) => name.toLowerCase())));
  }),
  generic('Fetch §3.3', 'errors, also without a token: a page may read them', async (notes) => {
    const { missing, profile, send } = notes;
    const unauthenticated = await send(profile.collection, { ...fromOrigin(notes), as: 'nobody' });
    expect(unauthenticated.status).toBe(profile.statuses.unauthenticated);
    expectAllowed(notes, unauthenticated);
    const answer = await send(missing, fromOrigin(notes));
    expect(answer.status).toBe(profile.statuses.missing);
    expectAllowed(notes, answer);
  }),
  generic('Fetch §3.3', 'the preflight of a creation: its method and headers are allowed without a token', (notes) =>
    preflight(notes, notes.profile.collection, 'POST', [
      notes.profile.authorization.header,
      'Content-Type',
      ...(notes.profile.omits['idempotency keys'] === undefined ? [notes.profile.idempotency_key] : []),
    ]),
  ),
  generic(
    'Fetch §3.3',
    'the preflight of a change: its method and headers are allowed without a token',
    async (notes) => {
      const { path } = await notes.create();
      const { authorization, change_method, omits } = notes.profile;
      const conditions = omits['conditional requests'] === undefined ? ['If-Match'] : [];
      await preflight(notes, path, change_method, [authorization.header, 'Content-Type', ...conditions]);
    },
  ),
  generic('Fetch §3.3', 'any origin is allowed: credentials are not', async (notes) => {
    const { headers } = await notes.send(notes.profile.collection, fromOrigin(notes));
    const any = headers['access-control-allow-origin'] === '*';
    expect([any, any && headers['access-control-allow-credentials']]).not.toEqual([true, 'true']);
  }),
]);
