import { EXPOSED_HEADERS } from '#shared/platform/http/pipeline/cors.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { type Profile, type ProfileInput, parseProfile, UNIQUE } from './profile.ts';

type Bodies = Pick<ProfileInput, 'create' | 'change' | 'invalid'>;

const customer = { create: { name: `Ada ${UNIQUE}` }, change: { name: `Grace ${UNIQUE}` }, invalid: { name: null } };
const description = `Work ${UNIQUE}`;

const profileOf = (name: string, version: Version, bodies: Bodies): Profile =>
  parseProfile(
    {
      ...bodies,
      name: `${name} ${version}`,
      collection: `/${version}/${name}`,
      change_method: version === 'v1' ? 'PATCH' : 'PUT',
      missing: '1',
      unknown_path: `/${version}/${name}/1/no-such-path`,
      problems: { members: ['type', 'title', 'status', 'detail', 'code', 'request_id'] },
      cors: { exposes: [...EXPOSED_HEADERS] },
    } satisfies ProfileInput,
    name,
  );

/** The service of this repository, as the checks of any service see it: each version with another collection. */
export const ownProfiles: readonly Profile[] = [
  profileOf('customers', 'v1', customer),
  profileOf('invoices', 'v2', {
    create: { total: { amount: 5 }, description },
    change: { description },
    invalid: { total: 5 },
  }),
];
