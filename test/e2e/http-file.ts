import { randomUUID } from 'node:crypto';

/** One request of a file in the format of VS Code's REST Client, nothing in it filled in yet. */
export interface HttpRequest {
  /** What stands after its `###`. */
  readonly title: string;
  /** Its `# @name`, by which later ones name its answer. */
  readonly name: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

export interface HttpFile {
  /** `@name = value`, wherever it stands. */
  readonly variables: ReadonlyMap<string, string>;
  readonly requests: readonly HttpRequest[];
}

/** An answer, as later requests name it. */
export interface Answered {
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
    if (text.trim() !== '') throw new Error(`No request line: ${start}`);
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

/** Fills in what stands in double braces. */
export const filled = (
  text: string,
  variables: ReadonlyMap<string, string>,
  answers: ReadonlyMap<string, Answered>,
): string =>
  text.replaceAll(/\{\{([^}]+)\}\}/g, (_, name: string) => {
    if (name === '$guid') return randomUUID();
    const value = variables.get(name);
    if (value !== undefined) return filled(value, variables, answers);
    const [, request = '', part, path = ''] = /^(\w+)\.response\.(body|headers)\.(?:\$\.)?([\w-]+)$/.exec(name) ?? [];
    const answer = answers.get(request);
    const found = part === 'headers' ? answer?.headers.get(path) : answer?.body?.[path];
    if (found === undefined || found === null) throw new Error(`Nothing is called ${name}.`);
    return String(found);
  });
