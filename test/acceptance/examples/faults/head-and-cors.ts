import { problem } from '../tickets.ts';
import {
  after,
  asMethod,
  asSales,
  before,
  type Fault,
  idOf,
  isOf,
  isUnauthenticated,
  withHeaders,
  withoutHeader,
  withStatus,
} from './edits.ts';

export const headFaults: Readonly<Record<string, Fault>> = {
  'HEAD with another status': after((response, { method }) =>
    method === 'HEAD' && response.status === 200 ? withStatus(203, response) : response,
  ),
  'HEAD without the ETag': withoutHeader('etag', asMethod('HEAD')),
  'HEAD of a list as 405': after((response, request) =>
    request.method === 'HEAD' && idOf(request) === '' && response.status === 200 ? problem(405, 'No HEAD.') : response,
  ),
  'HEAD of a missing member as 200': after((response, { method }) =>
    method === 'HEAD' && response.status === 404 ? withStatus(200, response) : response,
  ),
  'HEAD without a token': before((request) =>
    isOf('HEAD')(request) && isUnauthenticated(request) ? asSales(request) : request,
  ),
  'HEAD with a wrong Content-Length': withHeaders({ 'content-length': '1' }, asMethod('HEAD')),
  'no CORS for errors': withoutHeader('access-control-allow-origin', ({ status }) => status >= 400),
  'no CORS for creations': withoutHeader('access-control-allow-origin', asMethod('POST')),
  'no CORS for reads': withoutHeader('access-control-allow-origin', asMethod('GET')),
  'an origin without Vary': withHeaders({ 'access-control-allow-origin': 'https://app.example.com' }, () => true),
  'ETags that pages cannot read': withoutHeader('access-control-expose-headers'),
  'preflights without PATCH': withHeaders({ 'access-control-allow-methods': 'GET, POST' }, asMethod('OPTIONS')),
  'preflights without Idempotency-Key': withHeaders(
    { 'access-control-allow-headers': 'Authorization, Content-Type, If-Match' },
    asMethod('OPTIONS'),
  ),
  'preflights that need a token': after((response, { method }) =>
    method === 'OPTIONS' ? problem(401, 'No token.') : response,
  ),
  'credentials of any origin': withHeaders({ 'access-control-allow-credentials': 'true' }, () => true),
};
