import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** The event of an HTTP API (payload format 2.0), and what a Lambda answers it with. */
export type GatewayEvent = APIGatewayProxyEventV2;
export type GatewayResult = APIGatewayProxyStructuredResultV2 & { headers: Record<string, string | number | boolean> };
