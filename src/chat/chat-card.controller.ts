import type { Caller } from '@bellwether/kernel';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { assistantIdIn } from '../answering';
import { Access, CurrentCaller } from '../infrastructure/http';
import { ChatCardDto } from './chat-card.dto';
import { ChatCards } from './chat-cards.service';

@ApiTags('Conversations')
@ApiParam({ name: 'id', type: 'integer' })
@Controller('api/v1/assistants/:id/chat')
export class ChatCardController {
  constructor(private readonly cards: ChatCards) {}

  @Get()
  @Access({
    scope: 'chat',
    summary: 'What the chat shows of an assistant',
    description: 'Also says how long conversations are kept and who can read the questions.',
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ChatCardDto> {
    return this.cards.of(caller, assistantIdIn(id));
  }
}
