import { ProblemError } from '#shared/platform/problem.ts';
import type { Act, Action, Actions } from '#shared/vocabulary.ts';

/** The caller. A token without a role belongs to a program. */
export interface Actor {
  readonly sub: string;
  readonly role: string | undefined;
}

/** The settings that conditional rules depend on. */
interface PolicySettings {
  readonly clerkPaymentLimitCents: number;
  /** The maximum age of a payment that a caller other than an admin may refund. */
  readonly refundWindowDays: number;
  /** The maximum age of a payment that a clerk may void. */
  readonly voidWindowHours: number;
}

interface Rule<A extends Action> {
  readonly name: 'amount' | 'submitter' | 'time';
  /** A sentence for the caller: the rule with its limit. */
  readonly detail: (settings: PolicySettings) => string;
  /** @param now RFC 3339 */
  readonly forbids: (actor: Actor, resource: Actions[A], settings: PolicySettings, now: string) => boolean;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const isOlder = (created_at: string, now: string, ms: number): boolean => Date.parse(now) - Date.parse(created_at) > ms;

const isAboveClerkLimit: Rule<'payment.create' | 'invoice.settle'>['forbids'] = (
  { role },
  { amount_cents },
  { clerkPaymentLimitCents },
) => role === 'clerk' && amount_cents > clerkPaymentLimitCents;

/** The conditional rules (§5; CONTRACT §2). */
const RULES: { readonly [A in Action]: readonly Rule<A>[] } = {
  'payment.create': [
    {
      name: 'amount',
      detail: ({ clerkPaymentLimitCents }) =>
        `a clerk may not create a payment above ${clerkPaymentLimitCents} minor units`,
      forbids: isAboveClerkLimit,
    },
  ],
  'invoice.settle': [
    {
      name: 'amount',
      detail: ({ clerkPaymentLimitCents }) => `a clerk may not settle more than ${clerkPaymentLimitCents} minor units`,
      forbids: isAboveClerkLimit,
    },
  ],
  'refund.create': [
    {
      name: 'submitter',
      detail: () => 'a clerk or accountant may not refund a payment that they created',
      forbids: ({ role, sub }, { created_by }) => (role === 'clerk' || role === 'accountant') && sub === created_by,
    },
    {
      name: 'time',
      detail: ({ refundWindowDays }) => `only an admin may refund a payment older than ${refundWindowDays} days`,
      forbids: ({ role }, { created_at }, { refundWindowDays }, now) =>
        role !== 'admin' && isOlder(created_at, now, refundWindowDays * DAY_MS),
    },
  ],
  'payment.void': [
    {
      name: 'submitter',
      detail: () => 'a clerk may only void a payment that they created',
      forbids: ({ role, sub }, { created_by }) => role === 'clerk' && sub !== created_by,
    },
    {
      name: 'time',
      detail: ({ voidWindowHours }) => `a clerk may void a payment for ${voidWindowHours} hours after its creation`,
      forbids: ({ role }, { created_at }, { voidWindowHours }, now) =>
        role === 'clerk' && isOlder(created_at, now, voidWindowHours * HOUR_MS),
    },
  ],
  'invoice.reopen': [
    {
      name: 'submitter',
      detail: () => 'a clerk may not open a settled invoice again',
      forbids: ({ role }) => role === 'clerk',
    },
  ],
};

/** Creates the function of an actor that throws `policy-denied`, with the name of the rule, if a rule forbids an act. */
export const createPermitFor =
  (settings: PolicySettings) =>
  (actor: Actor, now: string) =>
  <A extends Action>({ action, resource }: Act<A>): void => {
    const rules: readonly Rule<A>[] = RULES[action];
    const broken = rules.find(({ forbids }) => forbids(actor, resource, settings, now));
    if (!broken) return;
    const { name, detail } = broken;
    throw new ProblemError('policy-denied', { detail: `Rule ${name}: ${detail(settings)}.`, members: { rule: name } });
  };
