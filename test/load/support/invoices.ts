/** The stored row of an open invoice. */
export const invoiceRow = (id: number, at: string) => ({
  ...{ id, version: 1, created_at: at, updated_at: at, status: 'open', total_cents: 1250, currency: 'USD' },
  ...{ customer_id: null, due_date: '2026-12-24', description: 'Analytical engine, one day of work', metadata: {} },
  ...{ amount_paid_cents: 0, item_ids: [], paid_at: null, canceled_at: null },
});
