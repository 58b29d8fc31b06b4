import type { Content } from '$lib/features/run/live-run.svelte';
import type { SearchNotice, Source } from '$lib/features/run/run-events';

/** An assistant as the people who may only use it see it. */
export interface ChatCard {
  readonly assistant: { readonly id: number; readonly name: string; readonly description: string };
  readonly organization: { readonly name: string };
  readonly suggested_questions: readonly string[];
  /** Whether pictures in a question reach the assistant. */
  readonly vision: boolean;
  readonly can_edit: boolean;
  /** `prompt` comes to people who edit the assistant only; `none` while it cannot answer. */
  readonly answers: 'written' | 'quotations' | 'prompt' | 'none';
  readonly storage: {
    /** Null: until the reader deletes them. */
    readonly kept_days: number | null;
    readonly readers: readonly ('owner' | 'editors' | 'administrators')[];
  };
  /** Set while asking is closed for everybody; own conversations can be read. */
  readonly closed: { readonly reason: 'paused' | 'withdrawn'; readonly owner: string | null } | null;
}

export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  readonly updated_at: string;
}

export type MessageStatus = 'running' | 'completed' | 'failed' | 'cancelled';

export interface Rating {
  readonly value: 'up' | 'down';
  readonly reason: string | null;
}

export interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly content: Content;
  readonly run_id: string | null;
  readonly status: MessageStatus;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly sources: readonly Source[];
  readonly notice?: SearchNotice | null;
  readonly rating: Rating | null;
  /** Id of the question and of those asked in its place, oldest first. */
  readonly versions: readonly string[];
}

export interface Conversation extends ConversationSummary {
  readonly messages: readonly Message[];
}
