// The CloudFront function before the cache. infra/constructs/cdn.ts deploys this text as it is, for runtime 2.0.

function handler(event) {
  const request = event.request;
  normalize(request.querystring['fields']);
  normalize(request.querystring['expand']);
  // A part of a JSON text is of no use, and the service sends none.
  delete request.headers['range'];
  // The API gets its own host in Host.
  request.headers['x-forwarded-host'] = { value: request.headers.host.value };
  return request;
}

// A list of names in the normal form of shared/platform/http/request/query.ts, which the cache key uses. A
// repeated or malformed parameter stays as it is: the service rejects it.
function normalize(parameter) {
  if (!parameter || parameter.multiValue) return;
  try {
    const names = decodeURIComponent(parameter.value.split('+').join(' ')).split(',').sort();
    const distinct = names.filter((name, i) => name !== names[i - 1]);
    parameter.value = distinct.map(encodeURIComponent).join(',');
  } catch (_) {
    return;
  }
}
