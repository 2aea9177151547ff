import { expect, test } from '@jest/globals';
import { type Exports, startExports } from '#test/support/exports.ts';
import { follow } from '#test/support/feed.ts';

const createEvents = async (service: Exports): Promise<void> => {
  for (const name of ['Ada', 'Bob', 'Cyd']) {
    const { headers } = await service.send('/v1/customers', { method: 'POST', body: { name } });
    await service.send(String(headers['location']), { method: 'PATCH', body: { name: 'New' } });
  }
  await service.send('/v1/events');
};

test('events older than the lag of an index, by type: a walk in either order has each once [CONTRACT §14]', async () => {
  const service = await startExports();
  await createEvents(service);
  const walk = async (parameters: string) =>
    (await follow(service, {}, { limit: 1, parameters })).events.map(({ sequence }) => sequence);
  await service.at(1, async () => {
    expect(await walk('&type=customer.created')).toEqual([1, 3, 5]);
    expect(await walk('&type=customer.created&sort=-id')).toEqual([5, 3, 1]);
  });
  await service.stop();
});
