import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from '@jest/globals';
import { partOf } from '#test/support/extent/extent.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import {
  createPrerequisites,
  failDelivery,
  moveWebhook,
  operations,
  request,
} from '#test/support/requests/requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import { startService } from '#test/support/service/local-service.ts';
import { scan } from '#test/support/state/invariants.ts';

const service = await startService();
const race = interleave(service.client);
afterAll(() => service.stop());

const posts = operations
  .filter(([, operation]) => operation.method === 'POST')
  .map(([, operation]) => [operation.route, operation] as const);
const isReplay = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

const expire = async (): Promise<void> => {
  for (const { key } of await scan(service, 'idempotency')) {
    await service.client.send(
      new UpdateCommand({
        TableName: service.environment['IDEMPOTENCY_TABLE'],
        Key: { key },
        UpdateExpression: 'SET expires_at = :past',
        ExpressionAttributeValues: { ':past': Math.floor(Date.now() / 1000) - 1 },
      }),
    );
  }
};

describe.each(partOf(posts, 4))('the idempotency record of %s [CONTRACT §8]', (_, operation) => {
  const prepared = async () => {
    const { target, sent } = request(operation, 'v1', await createPrerequisites(service, operation));
    return () => service.send(target, sent);
  };

  /**
   * A delivery that is pending again cannot be tried again, an endpoint can be rewound once a minute, and a prefix has one
   * series.
   */
  const makeRepeatable = async ({ status, json }: Answer): Promise<void> => {
    if (status >= 300) return;
    if (operation.route.endsWith('/retry')) await failDelivery(service, 'acct_1', json.id);
    if (operation.route.endsWith('/rewind')) await moveWebhook(service, 'acct_1', json.id, { rewound_at: 0 });
    if (operation.route === 'POST /number-series')
      await service.send(`/v1/number-series/${json.id}`, { method: 'DELETE' });
  };

  test('a new key, and an expired record: the request is executed', async () => {
    const send = await prepared();
    const first = await send();
    await expire();
    await makeRepeatable(first);
    for (const answer of [first, await send()])
      expect([Math.floor(answer.status / 100), isReplay(answer)]).toEqual([2, false]);
  });

  test('a duplicate that commits first: this request replays its response', async () => {
    const send = await prepared();
    let first: Answer | undefined;
    const answer = await race(async () => {
      first = await send();
      await makeRepeatable(first);
    }, send);
    expect([answer.status, answer.text, isReplay(answer)]).toEqual([first?.status, first?.text, true]);
  });
});
