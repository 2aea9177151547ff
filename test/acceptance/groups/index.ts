import type { Group } from '../suite/check.ts';
import { conditionalRequests } from './conditional-requests.ts';
import { problems } from './problems.ts';
import { publicEndpoints } from './public-endpoints.ts';
import { pathsAndMethods, queries } from './queries-and-paths.ts';
import { requestBodies } from './request-bodies.ts';
import { responseHeaders } from './response-headers.ts';

/** All groups. They start in this order: those that wait for workers first. */
export const groups: readonly Group[] = [
  conditionalRequests,
  pathsAndMethods,
  problems,
  publicEndpoints,
  queries,
  requestBodies,
  responseHeaders,
];
