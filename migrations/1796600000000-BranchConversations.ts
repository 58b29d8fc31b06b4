import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Questions that are edited or asked again begin a branch; the earlier branch stays. */
export class BranchConversations1796600000000 implements MigrationInterface {
  readonly name = 'BranchConversations1796600000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE conversation_messages ADD COLUMN previous_id uuid`);
    await queryRunner.query(`ALTER TABLE conversations ADD COLUMN last_message_id uuid`);
    await queryRunner.query(`
      UPDATE conversation_messages message SET previous_id = previous.id FROM conversation_messages previous
      WHERE previous.conversation_id = message.conversation_id AND previous.position = message.position - 1`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE conversations DROP COLUMN last_message_id`);
    await queryRunner.query(`ALTER TABLE conversation_messages DROP COLUMN previous_id`);
  }
}
