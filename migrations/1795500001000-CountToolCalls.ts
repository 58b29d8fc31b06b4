import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outcomes of tool calls, per organization and day. */
export class CountToolCalls1795500001000 implements MigrationInterface {
  readonly name = 'CountToolCalls1795500001000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE tool_stats (
        organization_id uuid NOT NULL CONSTRAINT tool_stats_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
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
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE tool_stats');
  }
}
