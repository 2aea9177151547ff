import type { ResourceChange } from '#shared/platform/commit/change.ts';
import type { Origin } from '#shared/platform/commit/outbox-row.ts';
import type { Entity } from '#shared/platform/entity.ts';

/** A stored event. It never changes, so its `version` is 1. */
export type EventRow = Entity &
  Omit<ResourceChange, 'version' | 'isDeletion'> &
  Origin & {
    /** 1, 2, 3 … in each account. */
    readonly sequence: number;
    /** The version of the resource after the change. */
    readonly resource_version: number;
  };
