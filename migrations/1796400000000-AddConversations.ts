import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversations of people with assistants, and ratings of runs. */
export class AddConversations1796400000000 implements MigrationInterface {
  readonly name = 'AddConversations1796400000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE conversations (
        id uuid CONSTRAINT conversations_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT conversations_organization_fk REFERENCES organizations (id),
        user_id uuid NOT NULL CONSTRAINT conversations_user_fk REFERENCES users (id) ON DELETE CASCADE,
        assistant_id integer NOT NULL,
        assistant_name text NOT NULL,
        title text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await queryRunner.query(
      `CREATE INDEX conversations_user_idx ON conversations (organization_id, user_id, updated_at, id)`,
    );
    await queryRunner.query(`CREATE INDEX conversations_age_idx ON conversations (organization_id, updated_at)`);
    await queryRunner.query(`
      CREATE TABLE conversation_messages (
        id uuid CONSTRAINT conversation_messages_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT conversation_messages_organization_fk REFERENCES organizations (id),
        conversation_id uuid NOT NULL
          CONSTRAINT conversation_messages_conversation_fk REFERENCES conversations (id) ON DELETE CASCADE,
        user_id uuid NOT NULL,
        position integer NOT NULL,
        role text NOT NULL,
        text text NOT NULL,
        parts jsonb,
        run_id uuid,
        status text NOT NULL,
        error_code text,
        error_detail text,
        sources jsonb NOT NULL DEFAULT '[]',
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT conversation_messages_position_uq UNIQUE (conversation_id, position),
        CONSTRAINT conversation_messages_role_ck CHECK (role IN ('user', 'assistant')),
        CONSTRAINT conversation_messages_status_ck CHECK (status IN ('running', 'completed', 'failed', 'cancelled'))
      )`);
    await queryRunner.query(
      `CREATE INDEX conversation_messages_user_idx ON conversation_messages (organization_id, user_id)`,
    );
    await queryRunner.query(
      `CREATE INDEX conversation_messages_running_idx ON conversation_messages (created_at) WHERE status = 'running'`,
    );
    await queryRunner.query(`ALTER TABLE runs ADD COLUMN rating text`);
    await queryRunner.query(`ALTER TABLE runs ADD COLUMN rating_reason text`);
    await queryRunner.query(`ALTER TABLE runs ADD CONSTRAINT runs_rating_ck CHECK (rating IN ('up', 'down'))`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE runs DROP COLUMN rating_reason, DROP COLUMN rating`);
    await queryRunner.query('DROP TABLE conversation_messages');
    await queryRunner.query('DROP TABLE conversations');
  }
}
