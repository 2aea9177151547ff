import { randomUUID } from 'node:crypto';
import type { Service } from '#test/support/service/open-service.ts';
import { created } from '../support/requests.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests check the shape
type Json = Record<string, any>;

export const newPrefix = (): string => `${randomUUID().slice(0, 8).toUpperCase()}-`;

/** Creates a number series, and returns its path. */
export const newSeries = (service: Service, terms: object = {}): Promise<string> =>
  created(service, 'number-series', { prefix: newPrefix(), ...terms });

/** Creates an issued invoice. */
export const issued = async (service: Service, series_id: number, terms: object = {}): Promise<Json> =>
  (await service.create('/v1/invoices', { total_cents: 100, series_id, ...terms })).json;
