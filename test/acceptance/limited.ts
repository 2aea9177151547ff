/** An account has at most 20 webhook endpoints (CONTRACT §15), and each delivers the events of later checks. */
export const isLimited = (path: string): boolean => path.includes('/webhook-endpoints/');
