import type { Caller } from '@bellwether/kernel';
import { Controller, Delete, HttpCode, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../infrastructure/http';
import { AssistantIdPipe } from '../access/assistant-id.pipe';
import { AssistantStatusService } from './assistant-status.service';

@ApiTags('Assistants')
@Controller('api/v1/assistants/:id')
export class AssistantStandingController {
  constructor(private readonly status: AssistantStatusService) {}

  @Put('suspension')
  @HttpCode(204)
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Switch an assistant off',
    description: 'Nobody runs it, not even its owner, and no other assistant can call it. It can still be edited.',
  })
  async suspend(@CurrentCaller() caller: Caller, @Param('id', AssistantIdPipe) id: number): Promise<void> {
    await this.status.disable(caller, id, true);
  }

  @Delete('suspension')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Switch an assistant on again' })
  async resume(@CurrentCaller() caller: Caller, @Param('id', AssistantIdPipe) id: number): Promise<void> {
    await this.status.disable(caller, id, false);
  }

  @Put('publication/everywhere')
  @HttpCode(204)
  @Access({
    scope: 'admin',
    role: 'system_admin',
    summary: 'Let assistants of other organizations call it',
    description:
      'For an assistant that its owner has published. It takes effect where its organization has `assistants_export` on ' +
      'and the other one `assistants_import`.',
  })
  async publish(@CurrentCaller() caller: Caller, @Param('id', AssistantIdPipe) id: number): Promise<void> {
    await this.status.publishToAll(caller, id, true);
  }

  @Delete('publication/everywhere')
  @HttpCode(204)
  @Access({ scope: 'admin', role: 'system_admin', summary: 'Keep it within its organization again' })
  async unpublish(@CurrentCaller() caller: Caller, @Param('id', AssistantIdPipe) id: number): Promise<void> {
    await this.status.publishToAll(caller, id, false);
  }
}
