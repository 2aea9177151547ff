import { EXPOSED_HEADERS } from '#shared/platform/http/pipeline/cors.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { type Profile, type ProfileInput, parseProfile, UNIQUE } from './profile.ts';

type Bodies = Readonly<Record<Version, Pick<ProfileInput, 'create' | 'change' | 'invalid'>>>;

const customer = { create: { name: `Ada ${UNIQUE}` }, change: { name: `Grace ${UNIQUE}` }, invalid: { name: null } };
const description = `Work ${UNIQUE}`;

/** The collections whose members need no other resource, and have PATCH, PUT and DELETE. */
const COLLECTIONS: Readonly<Record<string, Bodies>> = {
  customers: { v1: customer, v2: customer },
  invoices: {
    v1: { create: { total_cents: 5, description }, change: { description }, invalid: { total_cents: '5' } },
    v2: { create: { total: { amount: 5 }, description }, change: { description }, invalid: { total: 5 } },
  },
};

const profileOf = (name: string, version: Version, bodies: Bodies): Profile =>
  parseProfile(
    {
      ...bodies[version],
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

/** The service of this repository, as the checks of any service see it. */
export const ownProfiles: readonly Profile[] = Object.entries(COLLECTIONS).flatMap(([name, bodies]) =>
  VERSIONS.map((version) => profileOf(name, version, bodies)),
);
