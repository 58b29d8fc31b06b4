import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../infrastructure/http';
import { AssistantIdPipe } from '../access/assistant-id.pipe';
import { AssistantSharing } from './assistant-sharing';
import { ReplaceSharesDto, SharesDto } from './share.dto';

@ApiTags('Assistants')
@Controller('api/v1/assistants/:id/shares')
export class AssistantSharingController {
  constructor(private readonly sharing: AssistantSharing) {}

  @Get()
  @Access({ scope: 'read', summary: 'Who an assistant is shared with' })
  list(@CurrentCaller() caller: Caller, @Param('id', AssistantIdPipe) id: number): Promise<SharesDto> {
    return this.sharing.list(caller, id);
  }

  @Put()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Replace the list of those it is shared with',
    description: 'An absent list of groups stays. With groups alone, people stay, too.',
  })
  replace(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Body() { shares, user_emails, groups }: ReplaceSharesDto,
  ): Promise<SharesDto> {
    const emails = shares === undefined ? user_emails?.map((email) => ({ email })) : undefined;
    const people = shares ?? emails ?? (groups === undefined ? [] : undefined);
    return this.sharing.replace(caller, id, { people, groups, path: emails === undefined ? 'shares' : 'user_emails' });
  }
}
