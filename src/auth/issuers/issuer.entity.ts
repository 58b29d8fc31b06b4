import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { IssuerSettings } from './issuer.types';

@Entity('oidc_issuers')
@Unique('oidc_issuers_key_key', ['key'])
@Index('oidc_issuers_organization_idx', ['organizationId'])
@Index('oidc_issuers_url_idx', ['url'])
export class IssuerEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'oidc_issuers_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

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

  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
