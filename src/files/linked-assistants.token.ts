import type { Principal } from '../kernel';

/** Assistants that signed links belong to. The room of assistants, which stands above, provides it. */
export const LINKED_ASSISTANTS = Symbol('LINKED_ASSISTANTS');

export interface LinkedAssistants {
  /** True when the assistant exists and is enabled. */
  isLive(organizationId: string, assistantId: number): Promise<boolean>;
  /** True when the reader may use the assistant now. */
  mayUse(reader: Principal, assistantId: number): Promise<boolean>;
}
