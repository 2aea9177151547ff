import { InvoicingError, type RequestLine } from './error.ts';
import { retryAfterOf } from './retry.ts';
import type { Problem } from './types.ts';

/** The success that an operation declares. */
export interface Declared {
  readonly status: number;
  /** A property of the body: `data` of a page of a list, which is an array, or `id` of a whole resource. */
  readonly property?: 'data' | 'id' | undefined;
  /** A header that the caller needs. */
  readonly header?: 'etag' | 'location';
}

/**
 * Returns the body of the declared success, or undefined for a success without a body.
 * @throws InvoicingError for a problem of the service; `unexpected-answer` for any other response, such as a proxy's
 * page
 */
export const readAnswer = async (declared: Declared, request: RequestLine, response: Response): Promise<unknown> => {
  const text = await response.text();
  const isError = response.status >= 400;
  const body = mediaTypeOf(response) === `application/${isError ? 'problem+' : ''}json` ? parseObject(text) : undefined;
  if (isError && typeof body?.code === 'string') throw problemError(request, response, body as Problem);
  if (isDeclared(declared, response, body)) return body;
  throw unexpectedAnswer(request, response, describe(declared));
};

/** @param expected the response that the service sends */
export const unexpectedAnswer = (request: RequestLine, response: Response, expected: string): InvoicingError => {
  const { status, type } = response;
  const received = type === 'opaqueredirect' ? 'a redirect' : `${status} with ${mediaTypeOf(response) ?? 'no type'}`;
  return new InvoicingError('unexpected-answer', `expected ${expected}, got ${received}`, factsOf(request, response));
};

const problemError = (request: RequestLine, response: Response, problem: Problem): InvoicingError =>
  new InvoicingError(problem.code, problem.detail, {
    ...factsOf(request, response),
    requestId: problem.request_id,
    problem,
  });

const factsOf = (request: RequestLine, response: Response) => ({
  request,
  // A browser hides the status of a redirect.
  status: response.status || undefined,
  contentType: response.headers.get('content-type') ?? undefined,
  retryAfter: retryAfterOf(response.headers),
  requestId: response.headers.get('x-request-id') ?? undefined,
});

const isDeclared = (
  { status, property, header }: Declared,
  response: Response,
  body: JsonObject | undefined,
): boolean => {
  if (response.type === 'opaqueredirect') return status === SEE_OTHER;
  if (response.status !== status || (header && !response.headers.get(header))) return false;
  if (isBodiless(status)) return true;
  if (!body || !property) return Boolean(body);
  return property === 'data' ? Array.isArray(body.data) : property in body;
};

const describe = ({ status, property, header }: Declared): string =>
  [
    status,
    !isBodiless(status) && 'with a JSON object',
    property && `that has ${property}`,
    header && `and the header ${header}`,
  ]
    .filter(Boolean)
    .join(' ');

const SEE_OTHER = 303;

const isBodiless = (status: number): boolean => status === 204 || status === SEE_OTHER;

/** `application/json` of `Application/JSON; charset=utf-8`. */
const mediaTypeOf = ({ headers }: Response): string | undefined =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();

interface JsonObject {
  readonly data?: unknown;
  readonly code?: unknown;
}

const parseObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
