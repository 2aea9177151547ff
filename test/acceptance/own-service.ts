import { checkDocumented } from '#test/support/documents/check-documented.ts';
import type { Deployment } from './suite/service.ts';
import { ownHeaders } from './suite/transport.ts';

/** Compares a response with docs/openapi.json. */
export const compareWithDocument: NonNullable<Deployment['inspect']> = (request, received) =>
  checkDocumented(request, { ...received, headers: ownHeaders(received) });

/** An account has at most 20 webhook endpoints (CONTRACT §15), and each delivers the events of later checks. */
export const isLimited = (path: string): boolean => path.includes('/webhook-endpoints/');
