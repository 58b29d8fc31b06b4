import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { GateOverride } from './publication-gate.types';

/** Whether an assistant is published only when its tests pass. */
@Entity('publication_gates')
export class PublicationGateEntity {
  @PrimaryColumn('integer', { name: 'assistant_id', primaryKeyConstraintName: 'publication_gates_pk' })
  assistantId!: number;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('boolean')
  required!: boolean;

  @Column('text')
  override!: GateOverride;
}
