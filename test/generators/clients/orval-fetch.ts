import { API, TOKEN } from './report.ts';

/** Adds the address and the token to the requests of orval's functions. */
export const request = async <T>(path: string, init: RequestInit): Promise<T> => {
  const headers = { ...init.headers, Authorization: `Bearer ${TOKEN}` };
  const response = await fetch(API + path, { ...init, headers });
  return { data: await response.json(), status: response.status, headers: response.headers } as T;
};
