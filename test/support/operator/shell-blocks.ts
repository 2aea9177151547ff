import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#infra/build/bundle.ts';

/** A block of commands of a document. */
export interface ShellBlock {
  /** The document, and the number of the block in it, from 1. */
  readonly name: string;
  readonly commands: string;
}

/** Commands for developers, which run against local engines, and generators, which `npm run test:generators` runs. */
const FOR_DEVELOPERS = ['docs/development.md', 'docs/clients.md'];

/** The `sh` blocks of a text; an item of a list indents its block. */
const blocksOf = (text: string): string[] =>
  [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(([, indent, block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

/** Every block of commands for operators. */
export const operatorBlocks: readonly ShellBlock[] = ['SECURITY.md', ...globSync('docs/*.md', { cwd: ROOT }).sort()]
  .filter((document) => !FOR_DEVELOPERS.includes(document))
  .flatMap((document) =>
    blocksOf(readFileSync(join(ROOT, document), 'utf8')).map((commands, i) => ({
      name: `${document} ${i + 1}`,
      commands,
    })),
  );
