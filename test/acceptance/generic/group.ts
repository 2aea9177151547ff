import { check, type Group, Skipped } from '../suite/check.ts';
import { type Collection, collectionOf } from './collection.ts';
import type { Feature, Profile } from './profile.ts';

interface GenericCheck {
  readonly clause: string;
  readonly title: string;
  readonly run: (collection: Collection) => Promise<void>;
  readonly needs: readonly Feature[];
}

/** A check of any service. It is skipped if the profile omits what it needs. */
export const generic = (
  clause: string,
  title: string,
  run: GenericCheck['run'],
  ...needs: readonly Feature[]
): GenericCheck => ({ clause, title, run, needs });

/** The checks of a feature, as a function of a profile. */
export const groupOf =
  (feature: Feature, checks: readonly GenericCheck[]) =>
  (profile: Profile): Group => ({
    name: `${profile.name}: ${feature}`,
    checks: checks.map(({ clause, title, run, needs }) =>
      check(clause, title, async (service) => {
        for (const one of [feature, ...needs]) {
          const reason = profile.omits[one];
          if (reason !== undefined) throw new Skipped(`${profile.name} has no ${one}: ${reason}`);
        }
        await run(collectionOf(profile, service));
      }),
    ),
  });
