import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../../kernel';
import { Access, CurrentCaller } from '../../platform/http';
import { AssistantIdPipe } from '../access/assistant-id.pipe';
import { AssistantSharing } from './assistant-sharing';
import { ReplaceSharesDto, SharesDto } from './share.dto';

@ApiTags('Assistants')
@Controller('api/v1/assistants/:id/shares')
export class AssistantSharingController {
  constructor(private readonly sharing: AssistantSharing) {}

  @Get()
  @Access({ scope: 'read', summary: 'Who an assistant is shared with' })
  @ApiOkResponse({ type: SharesDto })
  async list(@CurrentCaller() caller: Caller, @Param('id', AssistantIdPipe) id: number): Promise<SharesDto> {
    return { shares: await this.sharing.list(caller, id) };
  }

  @Put()
  @Access({ scope: 'write', role: 'teacher', summary: 'Replace the list of those it is shared with' })
  @ApiOkResponse({ type: SharesDto })
  async replace(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Body() { shares, user_emails }: ReplaceSharesDto,
  ): Promise<SharesDto> {
    if (shares !== undefined || user_emails === undefined)
      return { shares: await this.sharing.replace(caller, id, shares ?? [], 'shares') };
    const people = user_emails.map((email) => ({ email }));
    return { shares: await this.sharing.replace(caller, id, people, 'user_emails') };
  }
}
