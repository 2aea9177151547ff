import { optional } from '#shared/platform/wire/field.ts';
import { nullable, text } from '#shared/platform/wire/schema.ts';

/** The client's own key of a member (CONTRACT §4). */
export const externalId = optional(
  nullable(text({ min: 1, max: 200 })),
  null,
  'Your own key of it, or null. Compared exactly, and unique among the resources of this collection. PUT without it keeps it.',
  { domainDecidesOnReplace: true },
);
