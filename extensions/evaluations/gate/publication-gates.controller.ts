import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AssistantIdPipe } from '../../../src/assistants';
import { Access, CurrentCaller } from '../../../src/infrastructure/http';
import { GateDto, GateQueryDto, GateSettingsDto } from './publication-gate.dto';
import { PublicationGates } from './publication-gate.service';

@ApiTags('Tests of assistants')
@Controller('api/v1/assistants/:id/publication/gate')
export class PublicationGatesController {
  constructor(private readonly gates: PublicationGates) {}

  @Get()
  @Access({ scope: 'read', role: 'teacher', summary: 'How a version stands before its publication' })
  get(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Query() { version }: GateQueryDto,
  ): Promise<GateDto> {
    return this.gates.get(caller, id, version);
  }

  @Put()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Demand that tests pass before a publication',
    description:
      'For the owner and administrators. An organization demands it of all assistants with the feature `tests_before_publishing`.',
  })
  set(
    @CurrentCaller() caller: Caller,
    @Param('id', AssistantIdPipe) id: number,
    @Body() { required, override }: GateSettingsDto,
  ): Promise<GateDto> {
    return this.gates.set(caller, id, { required, override });
  }
}
