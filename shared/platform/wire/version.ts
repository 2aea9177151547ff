/** The versions of the interface (§9): always named in the path, never a default. */
export const VERSIONS = ['v1', 'v2'] as const;
export type Version = (typeof VERSIONS)[number];

export const isVersion = (text: string | undefined): text is Version => VERSIONS.includes(text as Version);
