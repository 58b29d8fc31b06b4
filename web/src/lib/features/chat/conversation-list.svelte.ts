import { t } from '$lib/kit/i18n/i18n.svelte';
import { PagedList } from '$lib/kit/ui/paged-list.svelte';
import type { ConversationSummary } from './chat.types';
import {
  type ChatPlace,
  deleteConversation,
  deleteConversations,
  exportConversation,
  pageOfConversations,
  renameConversation,
} from './requests';

/** Conversations that are to be deleted. */
export type Doomed = ConversationSummary | 'all';

export const titleOf = ({ title }: ConversationSummary): string => (title === '' ? t('chat.untitled') : title);

/** The reader's conversations with one assistant in one activity, newest first, or those that hold the words searched for. */
export class ConversationList {
  q = $state('');
  readonly found: PagedList<ConversationSummary>;

  constructor(private readonly place: ChatPlace) {
    this.found = new PagedList((page) => pageOfConversations(this.place, this.q.trim(), page));
  }

  async rename(id: string, title: string): Promise<void> {
    this.found.replace(await renameConversation(id, title));
  }

  async remove(id: string): Promise<void> {
    await deleteConversation(id);
    this.found.remove(id);
  }

  /** Deletes all of them, found or not. */
  async clear(): Promise<void> {
    await deleteConversations(this.place);
    await this.found.load();
  }

  /** The conversation as Markdown. */
  exported(id: string): Promise<Blob> {
    return exportConversation(id);
  }
}
