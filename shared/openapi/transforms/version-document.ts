import type { Json } from '#shared/openapi/json-schema.ts';
import { isObject } from '#shared/platform/entity.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';

/**
 * The document of one version: without the paths of other versions, and without the components that only those paths
 * use.
 */
export const versionDocument = (document: Json, version: Version): Json => {
  const others = VERSIONS.filter((other) => other !== version);
  const paths = Object.entries(document['paths'] as Json).filter(
    ([path]) => !others.some((other) => path.startsWith(`/${other}/`)),
  );
  const operations = paths.flatMap(([, item]) => Object.values(item as Readonly<Record<string, Json>>));
  const used = new Set(operations.flatMap(({ tags }) => tags as string[]));
  const { info, components, tags, 'x-tagGroups': groups, ...rest } = document as Record<string, Json & Json[]>;
  const own = {
    ...rest,
    info: { ...info, title: `${info?.['title']} ${version}` },
    tags: tags?.filter(({ name }) => used.has(name as string)),
    'x-tagGroups': groups?.filter(({ name }) => !others.some((other) => other === name)),
    paths: Object.fromEntries(paths),
  };
  return { ...own, components: referencedFrom(own, components as unknown as Components) };
};

type Components = Readonly<Record<string, Json>>;

/**
 * The components that a part of the document refers to, directly or through other components, and all security schemes.
 */
const referencedFrom = (root: Json, components: Components): Json => {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (!isObject(node)) return;
    const { $ref } = node;
    const [, , kind = '', name = ''] = typeof $ref === 'string' ? $ref.split('/') : [];
    if (name && !found.has(`${kind}/${name}`)) {
      found.add(`${kind}/${name}`);
      visit(components[kind]?.[name]);
    }
    for (const member of Object.values(node)) visit(member);
  };
  visit(root);
  return Object.fromEntries(
    Object.entries(components).map(([kind, named]) => [
      kind,
      kind === 'securitySchemes'
        ? named
        : Object.fromEntries(Object.entries(named).filter(([name]) => found.has(`${kind}/${name}`))),
    ]),
  );
};
