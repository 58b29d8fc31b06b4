import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../../src/infrastructure/http';
import { ActivityDto, AgreeDto } from './activity.dto';
import { Activities } from './activities.service';

@ApiTags('LTI')
@Controller('api/v1/lti/activities/:id')
export class ActivitiesController {
  constructor(private readonly activities: Activities) {}

  @Get()
  @Access({
    scope: 'chat',
    summary: 'An activity of a course that you have opened',
    description: 'Its assistants, dates and assessment windows, and who reads the conversations.',
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ActivityDto> {
    return this.activities.get(caller, id);
  }

  @Put('agreement')
  @Access({
    scope: 'chat',
    summary: 'Agree that teachers read what you ask from now on',
    description: 'Earlier questions stay unread. `conflict`: the teacher asks for another agreement by now.',
  })
  agree(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { agree_to: agreement }: AgreeDto,
  ): Promise<ActivityDto> {
    return this.activities.agree(caller, id, agreement);
  }

  @Delete('agreement')
  @Access({
    scope: 'chat',
    summary: 'Take the agreement back',
    description: 'Teachers read none of the conversations any more. The next question needs a new agreement.',
  })
  withdraw(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ActivityDto> {
    return this.activities.withdraw(caller, id);
  }
}
