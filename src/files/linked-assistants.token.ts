import type { Principal } from '@bellwether/kernel';

/** Checks the assistant of a signed link. Provided by `assistants/`, a higher module. */
export const LINKED_ASSISTANTS = Symbol('LINKED_ASSISTANTS');

export interface LinkedAssistants {
  /** True when the assistant exists and is enabled. */
  isLive(organizationId: string, assistantId: number): Promise<boolean>;
  /** True when the reader may use the assistant now. */
  mayUse(reader: Principal, assistantId: number): Promise<boolean>;
}
