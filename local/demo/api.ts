/** A member or an envelope, as v1 writes it. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is the service's to keep
export type Json = Readonly<Record<string, any>>;

/** One account's API, as its clients see it but for the network between. */
export interface Api {
  get(path: string): Promise<Json>;
  patch(path: string, change: object): Promise<Json>;
  /** Creates what a body says; a payment or refund once however often it is asked: its key is made of the body. */
  post(path: string, body?: object): Promise<Json>;
  /** Every row of a collection. */
  all(collection: string, fields: string): Promise<Json[]>;
}
