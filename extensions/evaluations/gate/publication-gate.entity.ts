import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Groups that may publish in spite of failing tests: administrators only, or the owner of the assistant, too. */
export const GATE_OVERRIDES = ['administrators', 'owner'] as const;
export type GateOverride = (typeof GATE_OVERRIDES)[number];

export interface GateSettings {
  readonly required: boolean;
  readonly override: GateOverride;
}

/** Whether an assistant is published only when its tests pass. */
@Entity('publication_gates')
export class PublicationGateEntity {
  @PrimaryColumn('integer', { name: 'assistant_id' })
  assistantId!: number;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('boolean')
  required!: boolean;

  @Column('text')
  override!: GateOverride;
}
