/** Groups that may publish in spite of failing tests: administrators only, or the owner of the assistant, too. */
export const GATE_OVERRIDES = ['administrators', 'owner'] as const;
export type GateOverride = (typeof GATE_OVERRIDES)[number];

export interface GateSettings {
  readonly required: boolean;
  readonly override: GateOverride;
}
