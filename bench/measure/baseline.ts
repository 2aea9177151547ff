import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';

const client = new DynamoDBClient();

/**
 * The baseline of the service: the minimum of a Lambda that reads one invoice. It has a fixed tenant, checks nothing,
 * and returns the item as DynamoDB sent it.
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
