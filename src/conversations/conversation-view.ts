import type { Page } from '../kernel';
import type { ReadConversation } from './conversation-reader.service';
import type {
  ConversationDto,
  ConversationMessageDto,
  ConversationPageDto,
  WholeConversationDto,
} from './conversation.dto';
import type { Conversation, Message } from './conversation.types';

export const presentConversation = (conversation: Conversation): ConversationDto => ({
  id: conversation.id,
  assistant: { id: conversation.assistantId, name: conversation.assistantName },
  title: conversation.title,
  created_at: conversation.createdAt.toISOString(),
  updated_at: conversation.updatedAt.toISOString(),
  messages_count: conversation.messagesCount,
});

export const presentMessage = (message: Message): ConversationMessageDto => ({
  id: message.id,
  role: message.role,
  content: message.parts === null ? message.text : [...message.parts],
  created_at: message.createdAt.toISOString(),
  run_id: message.runId,
  status: message.status,
  error: message.errorCode === null ? null : { code: message.errorCode, detail: message.errorDetail ?? '' },
  sources: [...message.sources],
  rating: message.rating,
});

export const presentWhole = ({ conversation, messages }: ReadConversation): WholeConversationDto => ({
  ...presentConversation(conversation),
  messages_count: messages.length,
  messages: messages.map(presentMessage),
});

export const presentPage = ({ items, next_cursor, total }: Page<Conversation>): ConversationPageDto => ({
  items: items.map(presentConversation),
  next_cursor,
  total,
});
