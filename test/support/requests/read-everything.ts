import { expect } from '@jest/globals';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { partOf } from '#test/support/extent/extent.ts';
import type { Caller, Client } from '#test/support/service/client.ts';
import type { Exports } from '#test/support/service/exports.ts';
import { makers } from '#test/support/service/makers.ts';
import { operations } from './requests.ts';

const reads = operations.flatMap(([, operation]) => {
  const resource = operation.resource;
  const { path } = operation;
  const parameters = path.match(/\{/g)?.length ?? 0;
  const relations = Object.keys(operation.relations);
  return resource && parameters < 2 ? [{ path, resource, relations, isList: operation.list !== undefined }] : [];
});

/** Reads every list in each style, and members, with each expansion and in both versions, and expects 200. */
export const readEverything = async (service: Pick<Client, 'send'>, caller: Caller): Promise<void> => {
  const get = async (target: string) => {
    const { status, text } = await service.send(target, { as: caller });
    expect([target, status, status === 200 || text]).toEqual([target, 200, true]);
  };
  const ids = new Map<string, readonly number[]>();
  for (const { path, resource, isList } of reads) {
    if (!isList || path.includes('{')) continue;
    const rows = await makers(service, caller).list(`/v1${path}?limit=100`);
    ids.set(
      resource.collection,
      rows.map(({ id }) => id),
    );
  }
  for (const { path, relations, isList } of reads) {
    const owners = path.includes('{') ? (ids.get(path.split('/')[1] as string) as readonly number[]) : [0];
    const expansions = relations.map((name) => `expand=${name}`);
    const styles = ['limit=100', 'limit=100&sort=-id', ...expansions.map((expansion) => `limit=100&${expansion}`)];
    for (const owner of partOf(owners, 5)) {
      const target = path.replace(/\{\w+\}/, String(owner));
      for (const version of VERSIONS)
        for (const query of isList ? styles : ['', ...expansions])
          await get(`/${version}${target}${query && `?${query}`}`);
      if (isList) await get(`/v1${target}?page=1&per_page=100`);
    }
  }
};

/** Exports every collection in each format, and expects each to be completed. */
export const exportEverything = async (service: Exports, caller: Caller, types: readonly string[]): Promise<void> => {
  const requests = types.flatMap((type) => ['csv', 'jsonl'].map((format) => ({ type, format })));
  const ids = await Promise.all(requests.map((body) => service.request(body, caller)));
  await service.drain();
  for (const id of ids) {
    const { status, error, row_count } = await service.job(id, caller);
    expect([status, error, row_count > 0]).toEqual(['completed', null, true]);
  }
};
