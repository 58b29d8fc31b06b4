export { ConversationMessageDto } from './conversation.dto';
export { presentMessage } from './conversations.controller';
export { ConversationsModule } from './conversations.module';
export type { ActivityConversation, ReadablePerson } from './activity-conversation.repository';
export { ActivityConversations } from './activity-conversations.service';
export { ActivityUseRepository, type AskedQuestion, type UseFigures } from './activity-use.repository';
