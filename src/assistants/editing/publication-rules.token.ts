import type { Caller } from '@bellwether/kernel';
import type { AssistantEntity } from '../storage/assistant.entity';

/** Bound by the module that tests assistants. */
export const PUBLICATION_RULES = Symbol('PUBLICATION_RULES');

/** The version that a caller wants to make live. */
export interface WantedPublication {
  readonly caller: Caller;
  readonly assistant: Pick<AssistantEntity, 'id' | 'organizationId' | 'ownerId'>;
  readonly version: number;
  /** Why it is published although its tests do not pass; null without an override. */
  readonly override: string | null;
}

export interface PublicationRules {
  /** Returns what the audit log keeps of an override; null without one. @throws AppError `conflict`, `forbidden` */
  admit(wanted: WantedPublication): Promise<object | null>;
}
