import type { Version } from '#shared/platform/wire/version.ts';
import type { Json } from './json-schema.ts';

/** A request and its response, recorded by test/openapi/scenario.ts. */
export interface RecordedExchange {
  /** The file of the endpoint: `payments/create`. */
  readonly file: string;
  readonly version: Version;
  readonly title: string;
  readonly method: string;
  readonly target: string;
  readonly sent: { readonly headers: Readonly<Record<string, string>>; readonly body?: unknown };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Named examples in OpenAPI form; an empty object if there are none. */
export const examples = (
  exchanges: readonly RecordedExchange[],
  read: (exchange: RecordedExchange) => unknown,
): Json => {
  const chosen = exchanges.filter((exchange) => read(exchange) !== undefined);
  if (chosen.length === 0) return {};
  const named = chosen.map((exchange) => [keyOf(exchange.title), { summary: exchange.title, value: read(exchange) }]);
  return { examples: Object.fromEntries(named) };
};

const keyOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
