import type { RecordedExchange } from '#shared/openapi/recorded.ts';
import { nounOf, type Resource } from '#shared/platform/declarations/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { bodyOf, createParents, type Sender } from '#test/support/requests/examples.ts';
import { operations } from '#test/support/requests/requests.ts';
import type { Recorder } from './recorder.ts';

const KEY = '0d6c7e52-9a41-4b3e-8c15-2f7a9b604de8';

/** Records a creation, a member and a list of each resource that `exchanges` lacks, with the bodies of the tests. */
export const regular = async (
  record: Recorder,
  service: Sender,
  version: Version,
  exchanges: readonly RecordedExchange[],
): Promise<void> => {
  const ids: Record<string, number> = {};
  for (const [file, operation] of operations.toSorted(byMethod)) {
    if (exchanges.some((one) => one.file === file && one.status < 400)) continue;
    const { type, collection } = Object.values(operation.returns)[0] as Resource;
    const title = operation.list ? `All ${collection.replaceAll('-', ' ')}` : `A ${nounOf({ type })}`;
    if (operation.body) {
      const parents = await createParents(service, collection, { account: `acct_${version}` });
      const headers = operation.idempotency === 'required' ? { 'idempotency-key': KEY } : {};
      const { json } = await record(file, title, { headers, body: bodyOf(collection, parents, version) });
      ids[`${type}_id`] = json.id;
    } else await record(file, title, { ids });
  }
};

type Entry = (typeof operations)[number];

/** Creations first. */
const byMethod = ([, a]: Entry, [, b]: Entry): number => Number(b.body !== undefined) - Number(a.body !== undefined);
