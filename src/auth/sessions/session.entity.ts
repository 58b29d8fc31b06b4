import type { Role, Scope } from '@bellwether/kernel';
import { Column, Entity, Index, Unique } from 'typeorm';
import { DatedEntity } from '../../infrastructure/database';

@Entity('sessions')
@Unique('sessions_hash_key', ['hash'])
@Index('sessions_member_idx', ['organizationId', 'userId'])
@Index('sessions_expires_idx', ['expiresAt'])
@Index('sessions_subject_idx', ['issuer', 'subject'], { where: 'issuer IS NOT NULL' })
export class SessionEntity extends DatedEntity {
  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** Key that opened the session, which ends with it; null for a link. */
  @Column('uuid', { name: 'api_key_id', nullable: true })
  apiKeyId!: string | null;

  /** SHA-256 of the cookie's value, hexadecimal. */
  @Column('text')
  hash!: string;

  /** Role at sign-in. A change of the role ends the session. */
  @Column('text')
  role!: Role;

  @Column('text', { array: true })
  scopes!: Scope[];

  /** The session may use these assistants only; null for any. */
  @Column('integer', { name: 'assistant_ids', array: true, nullable: true })
  assistantIds!: number[] | null;

  /** Set for the session of a launch: the activities that it came from, the newest first. */
  @Column('uuid', { name: 'activity_ids', array: true, nullable: true })
  activityIds!: string[] | null;

  /** Written once a minute at most. */
  @Column('timestamptz', { name: 'last_seen_at', default: () => 'now()' })
  lastSeenAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** Opened by a password that an import brought. The person may link a provider's account to this one. */
  @Column('boolean', { name: 'by_password', default: false })
  byPassword!: boolean;

  /** Key of the OpenID provider's settings; this and the next five are null unless single sign-on opened the session. */
  @Column('text', { name: 'issuer_key', nullable: true })
  issuerKey!: string | null;

  /** `iss` of the ID token. */
  @Column('text', { nullable: true })
  issuer!: string | null;

  @Column('text', { nullable: true })
  subject!: string | null;

  /** `sid` of the ID token, where the provider sends one (OpenID Connect Back-Channel Logout 1.0 §2.1). */
  @Column('text', { name: 'provider_session', nullable: true })
  providerSession!: string | null;

  /** `iat` of the ID token, by the provider's clock. A logout notice ends the sessions that were there when it was written. */
  @Column('timestamptz', { name: 'provider_issued_at', nullable: true })
  providerIssuedAt!: Date | null;

  /** Sealed; the hint of RP-initiated logout. */
  @Column('text', { name: 'id_token', nullable: true })
  idToken!: string | null;
}
