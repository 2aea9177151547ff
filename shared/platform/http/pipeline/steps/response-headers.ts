import type { Endpoint } from '#shared/platform/endpoint.ts';
import type { Step } from './step.ts';

/** Stops browsers from guessing the media type of JSON. */
export const responseHeaders: Step<Endpoint> = {
  name: 'responseHeaders',
  after: ({ response: { headers } }) => {
    if (String(headers['content-type']).includes('json')) headers['x-content-type-options'] = 'nosniff';
  },
};
