import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** One organization's data key, wrapped by the key `kek` of the operator's ring. */
@Entity('data_keys')
@Index('data_keys_kek_idx', ['kek'])
export class DataKeyEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  kid!: string;

  @Column('text')
  kek!: string;

  @Column('text')
  wrapped!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'wrapped_at', default: () => 'now()' })
  wrappedAt!: Date;
}
