import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passages that a teacher has judged right or wrong for a question. */
export class JudgePassages1796700100000 implements MigrationInterface {
  readonly name = 'JudgePassages1796700100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE kb_judgements (
        id uuid CONSTRAINT kb_judgements_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        knowledge_base_id uuid NOT NULL
          CONSTRAINT kb_judgements_knowledge_base_fk REFERENCES knowledge_bases (id) ON DELETE CASCADE,
        question text NOT NULL,
        question_hash text NOT NULL,
        passage_hash text NOT NULL,
        chunks text[] NOT NULL,
        is_right boolean NOT NULL,
        filename text NOT NULL,
        excerpt text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT kb_judgements_passage_uq UNIQUE (knowledge_base_id, question_hash, passage_hash)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE kb_judgements');
  }
}
