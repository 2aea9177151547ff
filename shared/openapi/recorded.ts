import type { Version } from '#shared/platform/wire/version.ts';
import type { Json } from './json-schema.ts';

/** A request and its answer, as the tests have seen them (test/openapi/scenario.ts). */
export interface RecordedExchange {
  /** The file of the endpoint. */
  readonly file: string;
  readonly version: Version;
  /** What the request is an example of. */
  readonly title: string;
  readonly method: string;
  readonly target: string;
  readonly sent: { readonly headers: Readonly<Record<string, string>>; readonly body?: unknown };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const keyOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Named examples, as OpenAPI writes them; nothing without one. */
export const examples = (
  exchanges: readonly RecordedExchange[],
  read: (exchange: RecordedExchange) => unknown,
): Json => {
  const found = exchanges.filter((exchange) => read(exchange) !== undefined);
  if (found.length === 0) return {};
  const named = found.map((one) => [keyOf(one.title), { summary: one.title, value: read(one) }]);
  return { examples: Object.fromEntries(named) };
};
