import { Module } from '@nestjs/common';
import { AnsweringModule } from '../answering';
import { AssistantsModule } from '../assistants';
import { AuthModule } from '../auth';
import { ConnectorsModule } from '../connectors';
import { KnowledgeBasesModule } from '../knowledge-bases';
import { OrganizationsModule } from '../organizations';
import { RunsModule } from '../runs';
import { AnswerSettlement } from './answer-settlement.service';
import { Questions } from './questions.service';
import { AnswerModes } from './answer-modes.service';
import { ChatCardController } from './chat-card.controller';
import { ChatCards } from './chat-cards.service';
import { ActivityConversationRepository } from './activity-conversation.repository';
import { ActivityConversations } from './activity-conversations.service';
import { ActivityUseRepository } from './activity-use.repository';
import { ConversationReader } from './conversation-reader.service';
import { ConversationsController } from './conversations.controller';
import { Conversations } from './conversations.service';
import { ConversationRepository } from './conversation.repository';
import { MessageRepository } from './message.repository';

@Module({
  imports: [
    AnsweringModule,
    AssistantsModule,
    AuthModule,
    ConnectorsModule,
    KnowledgeBasesModule,
    OrganizationsModule,
    RunsModule,
  ],
  controllers: [ChatCardController, ConversationsController],
  providers: [
    AnswerModes,
    ActivityConversationRepository,
    ActivityConversations,
    ActivityUseRepository,
    AnswerSettlement,
    ChatCards,
    ConversationReader,
    ConversationRepository,
    Conversations,
    MessageRepository,
    Questions,
  ],
  exports: [ActivityConversations, ActivityUseRepository],
})
export class ConversationsModule {}
