import { Baseline } from './baseline';

/** Calls of tools, per organization and day. */
export class BaselineTools1700000000007 extends Baseline {
  readonly name = 'BaselineTools1700000000007';
  protected readonly schema = `
    CREATE TABLE tool_stats (
      organization_id uuid NOT NULL
        CONSTRAINT tool_stats_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      plugin text NOT NULL,
      day date NOT NULL,
      calls integer NOT NULL,
      failures integer NOT NULL,
      retries integer NOT NULL,
      cache_hits integer NOT NULL,
      fallbacks integer NOT NULL,
      duration_sum double precision NOT NULL,
      durations integer[] NOT NULL,
      confidence_sum double precision NOT NULL,
      confidences integer NOT NULL,
      CONSTRAINT tool_stats_pk PRIMARY KEY (organization_id, plugin, day)
    )`;
}
