import { Column, Entity, Unique } from 'typeorm';
import { DatedEntity } from '../../infrastructure/database';

@Entity('sign_in_links')
@Unique('sign_in_links_hash_key', ['hash'])
export class SignInLinkEntity extends DatedEntity {
  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** SHA-256 of the link's last part, hexadecimal. */
  @Column('text')
  hash!: string;

  /** Made by an administrator of the organization, not by the operator. */
  @Column('boolean', { name: 'needs_local_sign_in', default: false })
  needsLocalSignIn!: boolean;

  /** Administrator who made it; null for links of the operator. */
  @Column('uuid', { name: 'made_by', nullable: true })
  madeBy!: string | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
