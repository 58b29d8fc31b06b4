import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A person. Name and role are in the membership. */
@Entity('users')
@Unique('users_email_key', ['email'])
export class UserEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  email!: string;

  /** Effective only in memberships of the system organization. */
  @Column('boolean', { name: 'system_admin', default: false })
  systemAdmin!: boolean;

  /** Invitations by e-mail since `invitationMailsSince`, from all organizations. */
  @Column('integer', { name: 'invitation_mails', default: 0 })
  invitationMails!: number;

  @Column('timestamptz', { name: 'invitation_mails_since', nullable: true })
  invitationMailsSince!: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
