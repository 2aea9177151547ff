/** The headers of Standard Webhooks that each delivery has, and their meanings (CONTRACT §15). */
export const WEBHOOK_HEADERS = {
  'webhook-id':
    'The id of the message: `evt_` and the id of the event, or `evt_test_` and the id of the delivery. The same at each ' +
    'attempt, and after a retry or a rewind: a receiver that has processed it can skip the message.',
  'webhook-timestamp':
    'The time of the attempt, in seconds since 1970. Reject a time that differs by more than 5 minutes.',
  'webhook-signature':
    'One signature for each valid secret, separated by spaces: `v1,` and the Base64 form of the HMAC-SHA256 of ' +
    '`<webhook-id>.<webhook-timestamp>.<body>`. The key is the secret after `whsec_`, decoded from Base64.',
} as const;

export type WebhookHeader = keyof typeof WEBHOOK_HEADERS;
