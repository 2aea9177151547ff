import { isWrite, type Operation } from '#shared/platform/endpoint.ts';
import { createIfMatchCheck, toETag } from '#shared/platform/http/request/conditional.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { type Step, when } from './step.ts';

/** Parses `If-Match`; the handler passes the member that it has read to `checkIfMatch` (CONTRACT §7). */
export const precondition: Step<Operation> = {
  name: 'precondition',
  reads: (operation) => when(isWrite(operation), 'If-Match'),
  refuses: (operation) => [
    ...when(isWrite(operation), 'invalid-header'),
    ...when(operation.ifMatch, 'precondition-failed'),
  ],
  writes: (_, status) => (status === 412 ? ['ETag'] : []),
  before: (event, { endpoint }) => {
    event.checkIfMatch = createIfMatchCheck(isWrite(endpoint) ? event.headers['if-match'] : undefined);
  },
  after: ({ response, error }) => {
    if (error instanceof ProblemError && error.details.version)
      response.headers['etag'] = toETag(error.details.version);
  },
};
