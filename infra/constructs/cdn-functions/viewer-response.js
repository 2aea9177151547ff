// The CloudFront function behind the cache. infra/constructs/cdn.ts deploys this text as it is, for runtime 2.0.

// A cached response is private to the client. shared/platform/http/caching.ts has the same two values.
function handler(event) {
  const response = event.response;
  const cached = response.headers['cache-control'];
  if (cached && cached.value === 'max-age=60') cached.value = 'private, max-age=60';
  return response;
}
