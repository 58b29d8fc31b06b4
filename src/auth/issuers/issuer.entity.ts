import { Column, Entity, Index, Unique } from 'typeorm';
import { VersionedEntity } from '../../infrastructure/database';
import type { IssuerSettings } from './issuer.types';

@Entity('oidc_issuers')
@Unique('oidc_issuers_key_key', ['key'])
@Index('oidc_issuers_organization_idx', ['organizationId'])
@Index('oidc_issuers_url_idx', ['url'])
export class IssuerEntity extends VersionedEntity {
  @Column('text')
  key!: string;

  @Column('text')
  name!: string;

  @Column('text')
  url!: string;

  @Column('text', { name: 'client_id' })
  clientId!: string;

  /** Sealed; null for a public client. */
  @Column('text', { name: 'client_secret', nullable: true })
  clientSecret!: string | null;

  /** Data URL of a picture. */
  @Column('text', { nullable: true })
  logo!: string | null;

  @Column('boolean', { default: true })
  enabled!: boolean;

  /** On the sign-in page of its organization. */
  @Column('boolean', { default: true })
  listed!: boolean;

  @Column('boolean', { name: 'for_all', default: false })
  forAll!: boolean;

  @Column('jsonb', { default: {} })
  settings!: Partial<IssuerSettings>;
}
