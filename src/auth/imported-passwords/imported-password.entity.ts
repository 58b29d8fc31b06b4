import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A password of another installation, for one sign-in of a member who never signed in here. */
@Entity('imported_passwords')
@Index('imported_passwords_user_idx', ['userId'])
export class ImportedPasswordEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  /** Sealed bcrypt hash. */
  @Column('text')
  hash!: string;

  /** Wrong passwords so far. */
  @Column('integer', { default: 0 })
  failures!: number;

  /** No password is right before. */
  @Column('timestamptz', { name: 'blocked_until', nullable: true })
  blockedUntil!: Date | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
