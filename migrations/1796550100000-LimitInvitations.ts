import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Invitations that a person gets in a day, and the administrator who made a sign-in link. */
export class LimitInvitations1796550100000 implements MigrationInterface {
  readonly name = 'LimitInvitations1796550100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE users
        ADD COLUMN invitation_mails integer NOT NULL DEFAULT 0,
        ADD COLUMN invitation_mails_since timestamptz`);
    await queryRunner.query('ALTER TABLE sign_in_links ADD COLUMN made_by uuid');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE sign_in_links DROP COLUMN made_by');
    await queryRunner.query('ALTER TABLE users DROP COLUMN invitation_mails_since, DROP COLUMN invitation_mails');
  }
}
