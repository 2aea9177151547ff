/** §9: every path names its version; there is no default. */
export const VERSIONS = ['v1', 'v2'] as const;
export type Version = (typeof VERSIONS)[number];

export const isVersion = (text: string | undefined): text is Version => VERSIONS.includes(text as Version);
