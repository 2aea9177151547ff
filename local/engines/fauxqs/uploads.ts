/** An upload in parts that has neither been completed nor aborted. */
export interface Upload {
  readonly uploadId: string;
  readonly key: string;
  readonly initiated: Date;
}

const MOST = 1000;

const escaped = (text: string): string => text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);

const element = (name: string, text: string | number | boolean): string =>
  `<${name}>${escaped(String(text))}</${name}>`;

/** By key, then by id: where a page ends, the next one goes on. */
const place = ({ key, uploadId }: Pick<Upload, 'key' | 'uploadId'>): string => `${key}\0${uploadId}`;

/** After a key alone, every upload of that key is past, too. */
const marker = (query: URLSearchParams): string => {
  const key = query.get('key-marker');
  return key === null ? '' : place({ key, uploadId: query.get('upload-id-marker') ?? '\uffff' });
};

/** The answer to ListMultipartUploads, which the engine does not know. */
export const listUploads = (bucket: string, query: URLSearchParams, all: Iterable<Upload>): string => {
  const prefix = query.get('prefix') ?? '';
  const most = Math.min(Number(query.get('max-uploads') ?? MOST), MOST);
  const after = marker(query);
  const rest = [...all]
    .filter((upload) => upload.key.startsWith(prefix) && place(upload) > after)
    .sort((a, b) => (place(a) < place(b) ? -1 : 1));
  const page = rest.slice(0, most);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    element('Bucket', bucket),
    element('MaxUploads', most),
    element('IsTruncated', last !== undefined),
    last ? element('NextKeyMarker', last.key) + element('NextUploadIdMarker', last.uploadId) : '',
    ...page.map(
      ({ key, uploadId, initiated }) =>
        `<Upload>${element('Key', key)}${element('UploadId', uploadId)}${element('Initiated', initiated.toISOString())}</Upload>`,
    ),
    '</ListMultipartUploadsResult>',
  ].join('');
};
