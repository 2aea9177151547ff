export type Accounts = readonly { readonly name: string; readonly token: string }[];

/** The accounts whose tokens this server offers; a deployed service offers none. */
export const readAccounts = async (): Promise<Accounts> => {
  const response = await fetch('/docs/tokens.json').catch(() => undefined);
  return response?.ok ? response.json() : [];
};
