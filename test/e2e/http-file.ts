import { randomUUID } from 'node:crypto';

/** One request of a file in the format of VS Code's REST Client, with its placeholders. */
export interface HttpRequest {
  /** The text after `###`. */
  readonly title: string;
  /** The `# @name` by which later requests refer to its response. */
  readonly name: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

export interface HttpFile {
  /** The definitions `@name = value`. */
  readonly variables: ReadonlyMap<string, string>;
  readonly requests: readonly HttpRequest[];
}

/** The response to a request with a name. */
export interface NamedResponse {
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  readonly body: any;
  readonly headers: Headers;
}

const VARIABLE = /^@(\w+)\s*=\s*(.*)$/gm;

const requestOf = (block: string): HttpRequest | undefined => {
  const [heading = '', ...lines] = block.split('\n');
  const name = lines.map((line) => /^#\s*@name\s+(\w+)$/.exec(line)?.[1]).find(Boolean);
  const text = lines.filter((line) => !/^(#|@)/.test(line)).join('\n');
  const [head = '', ...body] = text.trim().split(/\n\s*\n/);
  const [start = '', ...headers] = head.split('\n');
  const [, method, url] = /^([A-Z]+) (\S+)$/.exec(start) ?? [];
  if (!method || !url) {
    if (text.trim() !== '') throw new Error(`This is not a request line: ${start}`);
    return undefined;
  }
  return {
    title: heading.trim(),
    name,
    method,
    url,
    headers: headers.map((line) => /^([\w-]+): (.*)$/.exec(line)?.slice(1) as [string, string]),
    body: body.length > 0 ? body.join('\n\n') : undefined,
  };
};

export const parseHttpFile = (text: string): HttpFile => ({
  variables: new Map([...text.matchAll(VARIABLE)].map(([, name, value]) => [name as string, value as string])),
  requests: text
    .split(/^###/m)
    .slice(1)
    .flatMap((block) => requestOf(block) ?? []),
});

/** The member of a body at a path such as `data[0].id`. */
const memberAt = (body: unknown, path: string): unknown =>
  (path.match(/[\w-]+/g) ?? []).reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);

/** Replaces the placeholders in double braces. */
export const fillIn = (
  text: string,
  variables: ReadonlyMap<string, string>,
  answers: ReadonlyMap<string, NamedResponse>,
): string =>
  text.replaceAll(/\{\{([^}]+)\}\}/g, (_, name: string) => {
    if (name === '$guid') return randomUUID();
    const value = variables.get(name);
    if (value !== undefined) return fillIn(value, variables, answers);
    const [, request = '', part, path = ''] =
      /^(\w+)\.response\.(body|headers)\.(?:\$\.)?([\w.[\]-]+)$/.exec(name) ?? [];
    const answer = answers.get(request);
    const found = part === 'headers' ? answer?.headers.get(path) : memberAt(answer?.body, path);
    if (found === undefined || found === null) throw new Error(`The placeholder ${name} has no value.`);
    return String(found);
  });
