/** Whether a merge patch (RFC 7396) would not change the value. */
export const isApplied = (value: unknown, patch: unknown): boolean => {
  if (typeof patch !== 'object' || patch === null) return (value ?? null) === patch;
  if (Array.isArray(patch)) return JSON.stringify(value) === JSON.stringify(patch);
  const members = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return Object.entries(patch).every(([name, part]) => part === undefined || isApplied(members[name], part));
};
