export type RequestHeader =
  | 'Accept-Encoding'
  | 'Access-Control-Request-Headers'
  | 'Access-Control-Request-Method'
  | 'Authorization'
  | 'Content-Encoding'
  | 'Content-Type'
  | 'Idempotency-Key'
  | 'If-Match'
  | 'If-None-Match'
  | 'Origin'
  | 'X-Shared-Cache'
  | 'traceparent'
  | 'tracestate';

/** The headers in the OpenAPI document. It omits the headers of the transfer, of CORS and of single files. */
export type ResponseHeader =
  | 'Cache-Control'
  | 'Deprecation'
  | 'Dry-Run'
  | 'ETag'
  | 'Idempotent-Replayed'
  | 'Link'
  | 'Location'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'Retry-After'
  | 'Sunset'
  | 'Vary'
  | 'WWW-Authenticate'
  | 'X-Request-Id';
