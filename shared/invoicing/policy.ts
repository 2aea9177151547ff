import { Refusal } from '#shared/platform/problem.ts';

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

/** What is to be done to what; each action's resource holds just what the rules look at. */
export type Act =
  | { readonly action: 'payment.create'; readonly resource: { readonly amount_cents: number } }
  | { readonly action: 'invoice.settle'; readonly resource: { readonly amount_cents: number } }
  | {
      readonly action: 'refund.create';
      readonly resource: { readonly created_by: string; readonly created_at: string };
    };

interface Rule<A extends Act['action'] = Act['action']> {
  readonly name: 'amount' | 'submitter' | 'time';
  /** What the rule says, with the limit that it applies. */
  readonly detail: (context: PolicyContext) => string;
  readonly action: A;
  forbids(actor: Actor, resource: Extract<Act, { action: A }>['resource'], context: PolicyContext): boolean;
}

const rule = <A extends Act['action']>(declared: Rule<A>): Rule => declared as unknown as Rule;

const DAY_MS = 86_400_000;

const isAboveClerkLimit: Rule<'payment.create' | 'invoice.settle'>['forbids'] = (
  { role },
  { amount_cents },
  { clerkPaymentLimitCents },
) => role === 'clerk' && amount_cents > clerkPaymentLimitCents;

/** The conditional rules (§5; CONTRACT §2): pure decisions on actor, action, resource and context. */
const RULES: readonly Rule[] = [
  rule({
    name: 'amount',
    detail: ({ clerkPaymentLimitCents }) => `a clerk may not create a payment above ${clerkPaymentLimitCents} cents`,
    action: 'payment.create',
    forbids: isAboveClerkLimit,
  }),
  rule({
    name: 'amount',
    detail: ({ clerkPaymentLimitCents }) => `a clerk may not settle more than ${clerkPaymentLimitCents} cents`,
    action: 'invoice.settle',
    forbids: isAboveClerkLimit,
  }),
  rule({
    name: 'submitter',
    detail: () => 'a clerk or accountant may not refund a payment that they created',
    action: 'refund.create',
    forbids: ({ role, sub }, { created_by }) => (role === 'clerk' || role === 'accountant') && sub === created_by,
  }),
  rule({
    name: 'time',
    detail: ({ refundWindowDays }) => `only an admin may refund a payment older than ${refundWindowDays} days`,
    action: 'refund.create',
    forbids: ({ role }, { created_at }, { refundWindowDays, now }) =>
      role !== 'admin' && Date.parse(now) - Date.parse(created_at) > refundWindowDays * DAY_MS,
  }),
];

/** @throws Refusal `policy-denied`, naming the first rule that forbids the act */
export const permit = (actor: Actor, act: Act, context: PolicyContext): void => {
  const broken = RULES.find(
    ({ action, forbids }) => action === act.action && forbids(actor, act.resource as never, context),
  );
  if (!broken) return;
  const { name } = broken;
  throw new Refusal('policy-denied', { detail: `Rule ${name}: ${broken.detail(context)}.`, members: { rule: name } });
};
