import { expect, test } from '@jest/globals';
import { startService } from '#test/support/service.ts';

/* What only npm start serves; test/acceptance has the other public endpoints. */

test('/docs/tokens.json without the local runtime: no tokens', async () => {
  const service = await startService();
  const { json } = await service.send('/docs/tokens.json', { headers: { authorization: undefined } });
  expect(json).toEqual([]);
  await service.stop();
});
