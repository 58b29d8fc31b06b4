import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sign-in links that administrators make, invitations by e-mail, and the checklist for a first assistant. */
export class InviteMembers1796430000000 implements MigrationInterface {
  readonly name = 'InviteMembers1796430000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE sign_in_links ADD COLUMN needs_local_sign_in boolean NOT NULL DEFAULT false');
    await queryRunner.query(`
      ALTER TABLE members
        ADD COLUMN first_signed_in_at timestamptz,
        ADD COLUMN invited_at timestamptz,
        ADD COLUMN invitation text,
        ADD COLUMN invitation_problem text,
        ADD COLUMN checklist jsonb NOT NULL DEFAULT '{}'
    `);
    await queryRunner.query(`
      UPDATE members SET first_signed_in_at = opened.at
        FROM (SELECT organization_id, user_id, min(created_at) AS at FROM sessions GROUP BY organization_id, user_id) opened
       WHERE members.organization_id = opened.organization_id AND members.user_id = opened.user_id
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE members DROP COLUMN first_signed_in_at, DROP COLUMN invited_at, DROP COLUMN invitation,
        DROP COLUMN invitation_problem, DROP COLUMN checklist
    `);
    await queryRunner.query('ALTER TABLE sign_in_links DROP COLUMN needs_local_sign_in');
  }
}
