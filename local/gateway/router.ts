import type { Routed } from './event.ts';
import type { LambdaFunction } from './invoke.ts';

/** The function that a request goes to, and by which route. */
export interface Destination extends Routed {
  readonly lambda: LambdaFunction;
}

/** Finds a request's destination by its method and its path, nothing of it decoded. */
export type Router = (method: string, path: string) => Destination | Promise<Destination>;
