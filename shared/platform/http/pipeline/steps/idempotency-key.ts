import type { Operation } from '#shared/platform/endpoint.ts';
import { parseKey } from '#shared/platform/idempotency/key.ts';
import { type Step, when } from './step.ts';

/** Reads the Idempotency-Key of an endpoint that takes one (CONTRACT §8). */
export const idempotencyKey: Step<Operation> = {
  name: 'idempotencyKey',
  reads: ({ idempotency }) => (idempotency ? ['Idempotency-Key'] : []),
  refuses: ({ idempotency }) => [
    ...when(idempotency, 'invalid-idempotency-key'),
    ...when(idempotency === 'required', 'idempotency-key-required'),
  ],
  before: (event, { endpoint: { idempotency } }) => {
    if (idempotency) event.idempotencyKey = parseKey(event.headers['idempotency-key'], idempotency === 'required');
  },
};
