import type { Page } from '../kernel';
import { versionsOf } from './branches';
import { otherMessages, type ReadConversation } from './conversation-reader.service';
import type {
  ConversationDto,
  ConversationMessageDto,
  ConversationPageDto,
  ExportedConversationDto,
  WholeConversationDto,
} from './conversation.dto';
import type { Conversation, Message } from './conversation.types';

export const presentConversation = (conversation: Conversation): ConversationDto => ({
  id: conversation.id,
  assistant: { id: conversation.assistantId, name: conversation.assistantName },
  activity_id: conversation.activityId,
  title: conversation.title,
  created_at: conversation.createdAt.toISOString(),
  updated_at: conversation.updatedAt.toISOString(),
  messages_count: conversation.messagesCount,
});

/** `all`: the messages of all branches. */
export const presentMessage = (message: Message, all: readonly Message[]): ConversationMessageDto => ({
  id: message.id,
  role: message.role,
  content: message.parts === null ? message.text : [...message.parts],
  created_at: message.createdAt.toISOString(),
  run_id: message.runId,
  status: message.status,
  error: message.errorCode === null ? null : { code: message.errorCode, detail: message.errorDetail ?? '' },
  sources: [...message.sources],
  notice: message.notice,
  rating: message.rating,
  previous_id: message.previousId,
  versions: message.role === 'user' ? [...versionsOf(all, message)] : [],
});

export const presentWhole = ({ conversation, messages, all }: ReadConversation): WholeConversationDto => ({
  ...presentConversation(conversation),
  messages: messages.map((message) => presentMessage(message, all)),
});

/** With the messages of the branches that are not shown. */
export const presentExport = (read: ReadConversation): ExportedConversationDto => ({
  ...presentWhole(read),
  other_messages: otherMessages(read).map((message) => presentMessage(message, read.all)),
});

export const presentPage = ({ items, next_cursor, total }: Page<Conversation>): ConversationPageDto => ({
  items: items.map(presentConversation),
  next_cursor,
  total,
});
