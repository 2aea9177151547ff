// Written by `npm run generate` from docs/openapi.json: not to be edited.

/** The operations of each collection and its members, besides GET. */
export const OPERATIONS = {
  customers: { methods: ['create', 'patch', 'update', 'replace', 'delete'], actions: [], lists: [] },
  invoices: {
    methods: ['create', 'patch', 'update', 'replace', 'delete'],
    actions: [{ name: 'cancel', hasBody: false }],
    lists: ['payments'],
  },
  'invoice-items': { methods: ['create', 'patch', 'update', 'replace', 'delete'], actions: [], lists: [] },
  payments: { methods: ['create'], actions: [], lists: [] },
  refunds: { methods: ['create'], actions: [], lists: [] },
  exports: { methods: ['create'], actions: [{ name: 'cancel', hasBody: false }], lists: [] },
  events: { methods: [], actions: [], lists: [] },
  'webhook-endpoints': {
    methods: ['create', 'patch', 'update', 'delete'],
    actions: [
      { name: 'rotate-secret', hasBody: false },
      { name: 'test', hasBody: false },
      { name: 'rewind', hasBody: true },
    ],
    lists: [],
  },
  'webhook-deliveries': { methods: [], actions: [{ name: 'retry', hasBody: false }], lists: [] },
} as const;
