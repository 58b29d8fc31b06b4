/**
 * "Write the run-wide number of `sources[source]` here": `at` is a UTF-16 offset in `content`. Numbers run over all tools
 * of the run in tool order, so the engine inserts them after every tool has settled.
 */
export interface Citation {
  readonly at: number;
  readonly source: number;
}
