import { randomUUID } from 'node:crypto';

/** A client of one account. */
export class Client {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async send(method: string, path: string, body: object): Promise<{ id: number }> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    const key = method === 'POST' && { 'idempotency-key': randomUUID() };
    const sent = { method, headers: { ...headers, ...key }, body: JSON.stringify(body) };
    const response = await fetch(`${this.#url}/v1/${path}`, sent);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { id: number };
  }

  createEndpoint(url: string): Promise<{ id: number }> {
    return this.send('POST', 'webhook-endpoints', { url, event_types: ['customer.created'] });
  }

  /** Commits an event. @returns the customer, and when the response arrived */
  async createCustomer(): Promise<{ id: number; at: number }> {
    const { id } = await this.send('POST', 'customers', { name: 'Ada' });
    return { id, at: performance.now() };
  }
}
