/** Reports how late the first row is, in milliseconds; reports nothing unless all rows were read. */
export async function* withLateness<T extends { readonly due_at: number }>(
  rows: AsyncIterable<T>,
  now: number,
  report: (late_ms: number) => void,
): AsyncGenerator<T> {
  let late_ms = 0;
  for await (const row of rows) {
    late_ms = Math.max(late_ms, now - row.due_at);
    yield row;
  }
  report(late_ms);
}
