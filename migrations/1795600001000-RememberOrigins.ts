import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Origins of rows of another installation: our row for each, and how both looked then, so that a second import changes
 * only what changed there and not here.
 */
export class RememberOrigins1795600001000 implements MigrationInterface {
  readonly name = 'RememberOrigins1795600001000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE origins (
        organization_id uuid NOT NULL CONSTRAINT origins_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        source text NOT NULL,
        kind text NOT NULL,
        origin_id text NOT NULL,
        local_id text NOT NULL,
        imported_sha256 text NOT NULL,
        local_sha256 text NOT NULL,
        imported_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT origins_pk PRIMARY KEY (organization_id, source, kind, origin_id)
      )`);
    await queryRunner.query(
      `CREATE UNIQUE INDEX origins_organization_key ON origins (source, origin_id) WHERE kind = 'organization'`,
    );
    await queryRunner.query(`
      CREATE TABLE import_leases (
        name text CONSTRAINT import_leases_pk PRIMARY KEY,
        token uuid NOT NULL,
        holder text NOT NULL,
        until timestamptz NOT NULL
      )`);
    await queryRunner.query(`
      CREATE TABLE external_collections (
        organization_id uuid NOT NULL CONSTRAINT external_collections_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        collection_id text NOT NULL,
        owner_id uuid NOT NULL CONSTRAINT external_collections_owner_fk REFERENCES users (id),
        name text NOT NULL,
        shared boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT external_collections_pk PRIMARY KEY (organization_id, collection_id)
      )`);
    await queryRunner.query(
      'ALTER TABLE rubrics ADD COLUMN origin_key text, ADD CONSTRAINT rubrics_origin_key_uq UNIQUE (organization_id, origin_key)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE rubrics DROP COLUMN origin_key');
    await queryRunner.query('DROP TABLE external_collections, import_leases, origins');
  }
}
