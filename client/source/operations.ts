// Written by `npm run generate` from docs/openapi.json: not to be edited.

/** The operations of each collection and its members, with the declared status of their successes. */
export const OPERATIONS = {
  customers: {
    statuses: { list: 200, get: 200, create: 201, patch: 200, replace: 200, delete: 204 },
    actions: {},
    lists: {},
  },
  invoices: {
    statuses: { list: 200, get: 200, create: 201, patch: 200, replace: 200, delete: 204 },
    actions: { cancel: { status: 200, hasBody: false }, reopen: { status: 200, hasBody: false } },
    lists: { payments: { list: 200, get: 200 } },
  },
  'invoice-items': {
    statuses: { list: 200, get: 200, create: 201, patch: 200, replace: 200, delete: 204 },
    actions: {},
    lists: {},
  },
  payments: {
    statuses: { list: 200, get: 200, create: 201 },
    actions: { void: { status: 200, hasBody: true } },
    lists: {},
  },
  refunds: { statuses: { list: 200, get: 200, create: 201 }, actions: {}, lists: {} },
  'credit-notes': { statuses: { list: 200, get: 200, create: 201 }, actions: {}, lists: {} },
  'number-series': { statuses: { list: 200, get: 200, create: 201, patch: 200, delete: 204 }, actions: {}, lists: {} },
  exports: {
    statuses: { list: 200, get: 200, create: 202, file: 303 },
    actions: { cancel: { status: 200, hasBody: false } },
    lists: {},
  },
  events: { statuses: { list: 200, get: 200 }, actions: {}, lists: {} },
  'webhook-endpoints': {
    statuses: { list: 200, get: 200, create: 201, patch: 200, delete: 204 },
    actions: {
      'rotate-secret': { status: 200, hasBody: false },
      test: { status: 202, hasBody: false },
      rewind: { status: 200, hasBody: true },
    },
    lists: {},
  },
  'webhook-deliveries': {
    statuses: { list: 200, get: 200 },
    actions: { retry: { status: 202, hasBody: false } },
    lists: {},
  },
} as const;
