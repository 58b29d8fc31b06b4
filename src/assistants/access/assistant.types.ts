import type { Principal } from '@bellwether/kernel';
import type { CompiledTemplate } from '@bellwether/kernel/templates';
import type { AssistantDocument } from '../definition';
import type { CompiledPipeline } from '../../orchestrators';
import type { Features } from '../../organizations';

export const ACCESS_LEVELS = ['owner', 'edit', 'use'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/**
 * How much of prompts, reports and tool results a caller sees. `previews` shortens the results of tools in a prompt.
 */
export type Disclosure = 'whole' | 'previews' | 'none';

/** The parts of an assistant that no request changes. */
export interface CompiledAssistant {
  readonly template: CompiledTemplate;
  /** null for a classic assistant. */
  readonly pipeline: CompiledPipeline | null;
}

/** A feature of the organization without which an assistant is neither saved nor run. */
export interface RequiredFeature {
  readonly feature: keyof Features;
  /** Subject of the refusal "… are switched off". */
  readonly subject: string;
}

/** An assistant and the rights of one caller to it. */
export interface RunnableAssistant {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly version: number;
  /** The newest saved version. A published assistant runs its live version, which may be older. */
  readonly newestVersion: number;
  readonly organizationId: string;
  readonly ownerId: string;
  /** Content is read with the owner's rights, whoever runs the assistant. */
  readonly owner: Principal;
  readonly published: boolean;
  /** True for a definition that is not saved. Its id may be `NO_ASSISTANT`. */
  readonly draft: boolean;
  /** Other people may edit it, and so read its runs. Always true for an assistant of another organization. */
  readonly hasEditors: boolean;
  /** `owner` and `edit` may see the configuration; `use` may not. */
  readonly access: AccessLevel;
  readonly disclosure: Disclosure;
  readonly document: AssistantDocument;
  readonly required: readonly RequiredFeature[];
  /** Compiled on first use. */
  readonly compiled: CompiledAssistant;
}
