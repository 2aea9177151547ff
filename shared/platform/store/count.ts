/**
 * The attributes of a count. A count can return to a former value, but the number of its changes only grows: two equal
 * numbers show that the count has not changed in between.
 */
export interface CountAttributes<T> {
  readonly count: keyof T & string;
  readonly changes: keyof T & string;
}

/** A member that refers to `to` instead of `from`. */
export interface CountMove {
  readonly from: number | null;
  readonly to: number | null;
  /** The field of the body with the id of `to`. */
  readonly field: string;
  /** The version of `to` that the commit must find. */
  readonly version?: number | undefined;
}
