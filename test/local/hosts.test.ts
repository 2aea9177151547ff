import { expect, test } from '@jest/globals';
import { rejectOtherHost } from '#local/gateway/invalid-requests.ts';

test('port 80: a host without a port is accepted, as browsers send it; another host is 421', () => {
  for (const host of ['localhost', '127.0.0.1', 'localhost:80']) expect(rejectOtherHost(host, 80)).toBeUndefined();
  expect(rejectOtherHost('evil.test', 80)?.statusCode).toBe(421);
});
