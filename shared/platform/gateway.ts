import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** Event and result of a Lambda behind an HTTP API (payload format 2.0). */
export type GatewayEvent = APIGatewayProxyEventV2;
export type GatewayResult = APIGatewayProxyStructuredResultV2 & { headers: Record<string, string | number | boolean> };
