/** The DNS suffix of each AWS partition, by the prefix of its regions' names. */
const DNS_SUFFIXES: readonly (readonly [regions: string, suffix: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-isof-', 'csp.hci.ic.gov'],
];

/** The URL of a bucket, without a slash at its end. */
export const bucketUrl = (bucket: string): string => {
  const { AWS_REGION: region = '', AWS_ENDPOINT_URL_S3: endpoint } = process.env;
  const suffix = DNS_SUFFIXES.find(([regions]) => region.startsWith(regions))?.[1] ?? 'amazonaws.com';
  return endpoint ? `${endpoint}/${bucket}` : `https://${bucket}.s3.${region}.${suffix}`;
};
