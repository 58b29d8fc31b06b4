import { api, idempotencyKey, must } from '$lib/api/client';
import type { Page, PageQuery } from '$lib/api/pages';
import type { Content } from '$lib/run/live-run.svelte';
import type { ChatCard, Conversation, ConversationSummary, Message, Rating } from './chat.types';

export const readCard = async (assistantId: number): Promise<ChatCard> =>
  must(await api.GET('/api/v1/assistants/{id}/chat', { params: { path: { id: assistantId } } }));

export async function pageOfConversations(
  assistantId: number,
  q: string,
  page: PageQuery,
): Promise<Page<ConversationSummary>> {
  const query = { ...page, assistant_id: assistantId, ...(q === '' ? {} : { q }) };
  return must(await api.GET('/api/v1/conversations', { params: { query } }));
}

export const readConversation = async (id: string): Promise<Conversation> =>
  must(await api.GET('/api/v1/conversations/{id}', { params: { path: { id } } })) as unknown as Conversation;

export const createConversation = async (assistantId: number): Promise<ConversationSummary> =>
  must(await api.POST('/api/v1/conversations', { body: { assistant_id: assistantId } }));

/** Asks; `replaces` names a question that stays as an earlier version. */
export async function postQuestion(
  conversationId: string,
  content: Content,
  replaces: string | null,
): Promise<{ readonly question: Message; readonly answer: Message }> {
  return must(
    await api.POST('/api/v1/conversations/{id}/messages', {
      params: { path: { id: conversationId } },
      headers: { 'Idempotency-Key': idempotencyKey() },
      body: { content, ...(replaces === null ? {} : { replaces }) } as never,
    }),
  ) as unknown as { question: Message; answer: Message };
}

/** Shows the branch of a question. */
export const showBranch = async (conversationId: string, questionId: string): Promise<Conversation> =>
  must(
    await api.PUT('/api/v1/conversations/{id}/branch', {
      params: { path: { id: conversationId } },
      body: { question_id: questionId },
    }),
  ) as unknown as Conversation;

export async function renameConversation(id: string, title: string): Promise<ConversationSummary> {
  return must(await api.PATCH('/api/v1/conversations/{id}', { params: { path: { id } }, body: { title } }));
}

export async function deleteConversation(id: string): Promise<void> {
  await api.DELETE('/api/v1/conversations/{id}', { params: { path: { id } } });
}

/** All conversations of the reader with the assistant. */
export async function deleteConversations(assistantId: number): Promise<void> {
  await api.DELETE('/api/v1/conversations', { params: { query: { assistant_id: assistantId } } });
}

/** The conversation as Markdown. */
export async function exportConversation(id: string): Promise<Blob> {
  const { data } = await api.GET('/api/v1/conversations/{id}/export', {
    params: { path: { id } },
    headers: { accept: 'text/markdown' },
    parseAs: 'blob',
  });
  return data as unknown as Blob;
}

/** Null takes the rating back. */
export async function rate(runId: string, rating: Rating | null): Promise<void> {
  const params = { path: { id: runId } };
  if (rating === null) await api.DELETE('/api/v1/runs/{id}/rating', { params });
  else {
    const { value, reason } = rating;
    await api.PUT('/api/v1/runs/{id}/rating', { params, body: { value, ...(reason === null ? {} : { reason }) } });
  }
}
