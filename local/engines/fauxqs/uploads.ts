export interface Upload {
  readonly uploadId: string;
  readonly key: string;
  readonly initiated: Date;
}

const MAX_UPLOADS = 1000;

const escapeXml = (text: string): string => text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);

const element = (name: string, text: string | number | boolean): string =>
  `<${name}>${escapeXml(String(text))}</${name}>`;

/** The order of the list, and its markers: by key, then by id. */
const sortKey = ({ key, uploadId }: Pick<Upload, 'key' | 'uploadId'>): string => `${key}\0${uploadId}`;

/** A marker without an upload id is after all uploads of its key. */
const marker = (query: URLSearchParams): string => {
  const key = query.get('key-marker');
  return key === null ? '' : sortKey({ key, uploadId: query.get('upload-id-marker') ?? '\uffff' });
};

/** The response to ListMultipartUploads, which the engine does not implement. */
export const listUploads = (bucket: string, query: URLSearchParams, all: Iterable<Upload>): string => {
  const prefix = query.get('prefix') ?? '';
  const limit = Math.min(Number(query.get('max-uploads') ?? MAX_UPLOADS), MAX_UPLOADS);
  const after = marker(query);
  const rest = [...all]
    .filter((upload) => upload.key.startsWith(prefix) && sortKey(upload) > after)
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const page = rest.slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    element('Bucket', bucket),
    element('MaxUploads', limit),
    element('IsTruncated', last !== undefined),
    last ? element('NextKeyMarker', last.key) + element('NextUploadIdMarker', last.uploadId) : '',
    ...page.map(
      ({ key, uploadId, initiated }) =>
        `<Upload>${element('Key', key)}${element('UploadId', uploadId)}${element('Initiated', initiated.toISOString())}</Upload>`,
    ),
    '</ListMultipartUploadsResult>',
  ].join('');
};
