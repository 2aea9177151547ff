import { expect, test } from '@jest/globals';
import { refuseOtherHost } from '#local/gateway/invalid-requests.ts';

test('port 80: a browser leaves the port out', () => {
  for (const host of ['localhost', '127.0.0.1', 'localhost:80']) expect(refuseOtherHost(host, 80)).toBeUndefined();
  expect(refuseOtherHost('evil.test', 80)?.statusCode).toBe(421);
});
