import { ProblemError } from '#shared/platform/problem.ts';

/** Who acts: the policy's subject. A token without a role is a machine client. */
export interface Actor {
  readonly sub: string;
  readonly role: string | undefined;
}

/** The settings and the time that conditional rules depend on. */
export interface PolicyContext {
  /** The most that a clerk's payment may be, in minor units. */
  readonly clerkPaymentLimitCents: number;
  /** How old a payment may be for everyone but an admin to refund it, in days. */
  readonly refundWindowDays: number;
  /** RFC 3339. */
  readonly now: string;
}

/** What the rules look at, by the action that they decide on. */
interface Resources {
  'payment.create': { readonly amount_cents: number };
  'invoice.settle': { readonly amount_cents: number };
  'refund.create': { readonly created_by: string; readonly created_at: string };
}

type Action = keyof Resources;

/** An action on a resource. */
export type Act<A extends Action = Action> = {
  readonly [K in A]: { readonly action: K; readonly resource: Resources[K] };
}[A];

interface Rule<A extends Action> {
  readonly name: 'amount' | 'submitter' | 'time';
  /** What the rule says, with the limit that it applies. */
  readonly detail: (context: PolicyContext) => string;
  readonly forbids: (actor: Actor, resource: Resources[A], context: PolicyContext) => boolean;
}

const DAY_MS = 86_400_000;

const isAboveClerkLimit: Rule<'payment.create' | 'invoice.settle'>['forbids'] = (
  { role },
  { amount_cents },
  { clerkPaymentLimitCents },
) => role === 'clerk' && amount_cents > clerkPaymentLimitCents;

/** The conditional rules (§5; CONTRACT §2): pure decisions on actor, action, resource and context. */
const RULES: { readonly [A in Action]: readonly Rule<A>[] } = {
  'payment.create': [
    {
      name: 'amount',
      detail: ({ clerkPaymentLimitCents }) => `a clerk may not create a payment above ${clerkPaymentLimitCents} cents`,
      forbids: isAboveClerkLimit,
    },
  ],
  'invoice.settle': [
    {
      name: 'amount',
      detail: ({ clerkPaymentLimitCents }) => `a clerk may not settle more than ${clerkPaymentLimitCents} cents`,
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
      forbids: ({ role }, { created_at }, { refundWindowDays, now }) =>
        role !== 'admin' && Date.parse(now) - Date.parse(created_at) > refundWindowDays * DAY_MS,
    },
  ],
};

/** @throws ProblemError `policy-denied`, naming the first rule that forbids the act */
export const permit = <A extends Action>(actor: Actor, { action, resource }: Act<A>, context: PolicyContext): void => {
  const rules: readonly Rule<A>[] = RULES[action];
  const broken = rules.find(({ forbids }) => forbids(actor, resource, context));
  if (!broken) return;
  const { name } = broken;
  throw new ProblemError('policy-denied', {
    detail: `Rule ${name}: ${broken.detail(context)}.`,
    members: { rule: name },
  });
};
