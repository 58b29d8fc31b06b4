import { api, idempotencyKey, must } from '$lib/kit/api/client';
import type { Page, PageQuery } from '$lib/kit/api/pages';
import type { Content } from '$lib/features/run/live-run.svelte';
import type { ChatCard, Conversation, ConversationSummary, Message, Rating } from './chat.types';

/** Place of a chat. */
export interface ChatPlace {
  readonly assistantId: number;
  /** The activity of a course; null outside of courses. */
  readonly activityId: string | null;
}

/** Address of a conversation, or of a new one for null. */
export function chatAddress({ assistantId, activityId }: ChatPlace, conversation: string | null): string {
  const parts = { activity: activityId, c: conversation };
  const query = new URLSearchParams(Object.entries(parts).flatMap(([name, id]) => (id === null ? [] : [[name, id]])));
  return query.size === 0 ? `/chat/${assistantId}` : `/chat/${assistantId}?${query.toString()}`;
}

const queryOf = ({ assistantId, activityId }: ChatPlace) => ({
  assistant_id: assistantId,
  ...(activityId !== null && { activity_id: activityId }),
});

export const readCard = async (assistantId: number): Promise<ChatCard> =>
  must(await api.GET('/api/v1/assistants/{id}/chat', { params: { path: { id: assistantId } } }));

export async function pageOfConversations(
  place: ChatPlace,
  q: string,
  page: PageQuery,
): Promise<Page<ConversationSummary>> {
  const query = { ...page, ...queryOf(place), ...(q === '' ? {} : { q }) };
  return must(await api.GET('/api/v1/conversations', { params: { query } }));
}

export const readConversation = async (id: string): Promise<Conversation> =>
  must(await api.GET('/api/v1/conversations/{id}', { params: { path: { id } } })) as unknown as Conversation;

export const createConversation = async (place: ChatPlace): Promise<ConversationSummary> =>
  must(await api.POST('/api/v1/conversations', { body: queryOf(place) }));

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

/** All conversations of the reader in that place. */
export async function deleteConversations(place: ChatPlace): Promise<void> {
  await api.DELETE('/api/v1/conversations', { params: { query: queryOf(place) } });
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
