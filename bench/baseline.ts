import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';

const client = new DynamoDBClient();

/**
 * The entry of a bundle. What the service is measured against: the least that a Lambda can do which reads one invoice. It knows the tenant
 * beforehand, checks nothing, and answers the item as DynamoDB sent it.
 */
export const handler = async ({ pathParameters }: GatewayEvent): Promise<GatewayResult> => {
  const { Item } = await client.send(
    new GetItemCommand({
      TableName: process.env['INVOICES_TABLE'],
      Key: { account_id: { S: 'acct_1' }, id: { N: pathParameters?.['invoice_id'] as string } },
      ConsistentRead: true,
    }),
  );
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(Item) };
};
