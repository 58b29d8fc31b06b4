export { presentMessage } from './conversation-view';
export { ConversationMessageDto } from './conversation.dto';
export { ConversationsModule } from './conversations.module';
export type { ActivityConversation, ReadablePerson } from './reading/activity-conversation.repository';
export { ActivityReadings } from './reading/activity-readings.service';
export { ActivityUseRepository, type AskedQuestion, type UseFigures } from './reading/activity-use.repository';
