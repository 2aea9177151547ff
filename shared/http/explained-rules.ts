import type { RefusalCode } from '#shared/domain/refusal.ts';
import type { Explanation } from './explanations.ts';

/** What the state of a resource, or a rule, stands in the way of. */
export const EXPLAINED_RULES = {
  'policy-denied': {
    meaning: 'The caller has the scope, and yet a rule forbids this very act. “rule” names it.',
    cause:
      'A clerk pays or settles more than the clerk’s limit, a payment is refunded by the subject that created it, or the payment is too old to be refunded.',
    remedy: 'Have somebody do it whose role may. A retry of the same caller is refused again.',
  },
  'invoice-not-cancelable': {
    meaning: 'The invoice can no longer be canceled.',
    cause: 'It is paid, or has payments.',
    remedy: 'Refund the payments instead.',
  },
  'invoice-has-payments': {
    meaning: 'What was asked is not possible while the invoice has payments.',
    cause: 'An invoice with payments cannot be deleted, and its items cannot change.',
    remedy: 'Payments stay for good. Create another invoice for what differs.',
  },
  'invoice-closed': {
    meaning: 'The invoice is paid or canceled, and stays as it is.',
    cause: 'A change of it or of its items, or the deletion of one that was settled.',
    remedy: 'Nothing of it can change any more. Create another invoice for what is to be charged still.',
  },
  'customer-in-use': {
    meaning: 'The customer cannot be deleted.',
    cause: 'At least one invoice names the customer.',
    remedy: 'Delete those invoices, or give them another customer_id, and then the customer.',
  },
  'invalid-transition': {
    meaning: 'The invoice cannot go from its status to this one.',
    cause:
      'draft becomes open, open becomes paid; canceled is reached by POST …/cancel alone, and there is no way back.',
    remedy: 'Read the invoice again: its status may not be what you take it for.',
  },
  'invoice-not-payable': {
    meaning: 'Only an open invoice takes payments.',
    cause: 'It is a draft, paid already, or canceled.',
    remedy: 'Open a draft by a PATCH of its status. For the others there is nothing to pay.',
  },
  'amount-exceeds-due': {
    meaning: 'The payment is larger than what is due. The problem says how much that is.',
    cause: 'Another payment may have come in before.',
    remedy: 'Pay at most what is due. The key may be used again: nothing is kept of a refusal.',
  },
  'amount-exceeds-refundable': {
    meaning: 'The refund is larger than what is left of the payment. The problem says how much that is.',
    cause: 'A part of the payment has been refunded before.',
    remedy: 'Refund at most what is left, or leave the amount out to refund all of that.',
  },
  'total-below-paid': {
    meaning: 'The total would be less than what has been paid already.',
    cause: 'A change of the total, after payments.',
    remedy: 'Refund what is too much: a total stays at least what was paid.',
  },
  'currency-locked': {
    meaning: 'The currency of the invoice cannot change.',
    cause: 'The invoice has payments or items, and these are in its currency.',
    remedy: 'Create another invoice in the other currency.',
  },
  'too-many-exports': {
    meaning: 'The account has as many unfinished exports as it may have at one time.',
    cause: 'An account can have 20 exports that are pending or running.',
    remedy:
      'Wait until one is completed, or cancel one, then send the same request again. Retry-After says when to try next.',
  },
  'export-not-ready': {
    meaning: 'The export has no file to be had, not yet or not at all.',
    cause: 'It is pending or running, or it was canceled or has failed.',
    remedy:
      'Read the export until its status is completed, each time as long as Retry-After says; if it failed, “error” says why.',
  },
  'export-not-cancelable': {
    meaning: 'The export is over already.',
    cause: 'It is completed, or has failed.',
    remedy: 'Leave it: its file goes away by itself.',
  },
  'export-expired': {
    meaning: 'The file was there, and is gone.',
    cause: 'Files are kept for 7 days; “expires_at” of the export says until when.',
    remedy: 'Create another export.',
  },
} as const satisfies Partial<Record<RefusalCode, Explanation>>;
