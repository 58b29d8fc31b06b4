import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A block's postings by falling impact, so that the best of a common term are read without the others. */
export class SortPostingBlocks1795470000000 implements MigrationInterface {
  readonly name = 'SortPostingBlocks1795470000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      UPDATE kb_posting_blocks
      SET postings = ARRAY(SELECT p FROM unnest(postings) p ORDER BY p & 65535 DESC, p)`);
  }

  /** Nothing reads them by chunk: the order before is one of many that will do. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      UPDATE kb_posting_blocks
      SET postings = ARRAY(SELECT p FROM unnest(postings) p ORDER BY p)`);
  }
}
