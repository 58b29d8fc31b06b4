import { Baseline } from './baseline';

/** Sizes and queues of the installation, measured by one process for all. */
export class BaselineHealth1700000000016 extends Baseline {
  readonly name = 'BaselineHealth1700000000016';
  protected readonly schema = `
    CREATE TABLE installation_figures (
      name text CONSTRAINT installation_figures_pk PRIMARY KEY,
      claimed_at timestamptz NOT NULL,
      measured_at timestamptz,
      figures jsonb
    )`;
}
