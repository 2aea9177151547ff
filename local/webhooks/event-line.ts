import type { WebhookEvent } from '#client/source/index.ts';
import { printable } from '#local/cli/printable.ts';
import { type Style, statusColor } from '#local/logs/format.ts';

/** The result of forwarding an event: the status of the response, or the reason why no response came. */
export type Forwarded = { readonly status: number } | { readonly error: string };

/** One line for people: `14:03:07.512 #4 invoice.paid  invoice 373907410872883  version 2  changed status  by user_1` */
export const eventLine = (event: WebhookEvent, style: Style, forwarded?: Forwarded): string => {
  const { sequence, type, resource_type, resource_id, version, changed, actor } = event;
  const details = [
    `${resource_type} ${resource_id}`,
    `version ${version}`,
    changed.length > 0 && `changed ${changed.join(', ')}`,
    actor && `by ${actor}`,
  ].filter(Boolean);
  return [
    style('dim', timeOf(new Date())),
    `#${sequence ?? '–'}`,
    style('bold', printable(type)),
    ` ${style('dim', printable(details.join('  ')))}`,
    ...(forwarded ? [` ${forwardedText(forwarded, style)}`] : []),
  ].join(' ');
};

/** In the time zone of this machine. */
const timeOf = (time: Date): string =>
  `${time.toLocaleTimeString('en-GB')}.${String(time.getMilliseconds()).padStart(3, '0')}`;

const forwardedText = (forwarded: Forwarded, style: Style): string =>
  'status' in forwarded
    ? style(statusColor(forwarded.status), `→ ${forwarded.status}`)
    : style('red', `→ ${printable(forwarded.error)}`);
