interface Unused {
  /** The grants, as `<route or worker>: <action> on <resource>`. */
  readonly grants: RegExp;
  readonly reason: string;
}

/** Why the acceptance suite may not use an action that a role has. */
export const UNUSED: readonly Unused[] = [
  { grants: /: (logs|xray):/, reason: 'MiniStack keeps the logs itself, and has no X-Ray' },
  {
    grants: /^Processes .*: (sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes)|dynamodb:\w+ on .*\/stream\/)/,
    reason: 'Lambda reads queues and streams with the role of the worker, MiniStack without',
  },
  { grants: /: sqs:ChangeMessageVisibility/, reason: 'a worker delays a message that it could not read' },
  {
    grants: /webhook-deliveries|webhookDeliveries|queue deliveries:|deliveriesqueue/,
    reason: 'nothing is delivered: the stage accepts no receiver on this machine',
  },
  {
    grants: /^POST \/webhook-endpoints\/\S+\/test: dynamodb:ConditionCheckItem on table\/webhookendpoints/,
    reason: 'no test is sent to a disabled endpoint, the only one that a test does not change',
  },
  {
    grants:
      /^(POST|PUT|PATCH|DELETE) .*: dynamodb:(Query|BatchGetItem) on (table\/(events|outbox)|\S+\/by_resource_id$)/,
    reason: 'events and outbox are read for a 412, and events by the index once they are seconds old',
  },
  { grants: /: dynamodb:Query on table\/payments/, reason: 'payments of an invoice are read by an index' },
  { grants: /table\/(limits|pages)/, reason: 'budgets and pages are counted at some requests only' },
  {
    grants: /: dynamodb:GetItem on table\/(idempotency|outbox)/,
    reason: 'read when two requests have the same key, or when many changes wait',
  },
  {
    grants: /^GET \/events.*: dynamodb:(GetItem|BatchGetItem)/,
    reason: 'a single event is expanded for a customer only; a resource that changes meanwhile is read again',
  },
  {
    grants: /^(PATCH|DELETE) \/invoices.*: dynamodb:ConditionCheckItem/,
    reason: 'no test tries out a change of the customer, or a deletion with items',
  },
  {
    grants: /^Runs every/,
    reason: 'the workers of a schedule act on what was lost, which needs minutes, and on many rows',
  },
  {
    grants: /^Processes the messages of the queue exports: (s3|sqs|dynamodb:Query on table\/exports)/,
    reason: 'only an export of several attempts reads its file and its own table, and sends a message',
  },
];
