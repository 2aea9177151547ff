import { BY_BEARER, BY_SHARED_CACHE } from '#shared/platform/http/request/cache-control.ts';
import { normalForm } from '#shared/platform/http/request/field-selection.ts';

/*
 * What runs at the edge, as text: CloudFront takes one file of ECMAScript 5.1 with const, let and arrow functions, and
 * no imports. The functions below run nowhere else, so that what they name beyond their parameters must be in the text.
 */

/** A value of the event (Structure for a query string, header, or cookie, Amazon CloudFront Developer Guide). */
interface Value {
  value: string;
  readonly multiValue?: readonly { readonly value: string }[];
}

/** What of CloudFront's event these functions read. */
export interface EdgeEvent {
  readonly request: {
    readonly method: string;
    /** Values as they were sent, percent-encoded. */
    readonly querystring: Record<string, Value>;
    readonly headers: Record<string, Value>;
  };
  readonly response?: { readonly headers: Record<string, Value> };
}

/** `fields` and `expand` in their one normal form. One that is repeated or malformed stays: it is the service's to refuse. */
const viewerRequest = (event: EdgeEvent) => {
  const request = event.request;
  const parameters = request.querystring;
  ['fields', 'expand'].forEach((name) => {
    const parameter = parameters[name];
    if (!parameter || parameter.multiValue) return;
    try {
      const list = decodeURIComponent(parameter.value.split('+').join(' '));
      parameter.value = normalForm(list).map(encodeURIComponent).join(',');
    } catch (_) {
      return;
    }
  });
  // A part of a JSON text is of no use, and the service answers none.
  delete request.headers['range'];
  return request;
};

/** To the client, what the edge keeps is the bearer's own. */
const viewerResponse = (event: Required<EdgeEvent>) => {
  const response = event.response;
  const kept = response.headers['cache-control'];
  if (kept && kept.value === BY_SHARED_CACHE) kept.value = BY_BEARER;
  return response;
};

const text = (handler: (event: never) => unknown, needs: Readonly<Record<string, unknown>>): string => {
  const declared = Object.entries(needs).map(
    ([name, value]) => `const ${name} = ${typeof value === 'function' ? value : JSON.stringify(value)};`,
  );
  return [...declared, `const answer = ${handler};`, 'function handler(event) { return answer(event); }'].join('\n');
};

/** The text of the function before the cache: what makes the cache key. */
export const REQUEST_CODE: string = text(viewerRequest, { normalForm });

/** The text of the function behind the cache. */
export const RESPONSE_CODE: string = text(viewerResponse, { BY_BEARER, BY_SHARED_CACHE });
