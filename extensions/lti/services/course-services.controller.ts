import { type Caller, isUuid, notFound } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../../src/infrastructure/http';
import { Idempotent } from '../../../src/infrastructure/idempotency';
import { CourseMembersDto, GradeDto, GradeListDto, NewGradeDto } from './course-services.dto';
import { Grades } from './grades.service';
import { Roster } from './roster.service';

/** Services of learning platforms, for instructors of a course by the role of their last launch. */
@ApiTags('LTI')
@Controller('api/v1/lti')
export class CourseServicesController {
  constructor(
    private readonly roster: Roster,
    private readonly grades: Grades,
  ) {}

  @Get('courses/:id/members')
  @Access({
    scope: 'chat',
    summary: 'People of a course that you teach',
    description: 'Asks the learning platform now (Names and Role Provisioning Services 2.0).',
  })
  async members(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<CourseMembersDto> {
    if (!isUuid(id)) throw notFound('Course');
    return this.roster.list(caller, id);
  }

  @Get('activities/:id/grades')
  @Access({ scope: 'chat', summary: 'Grades that were handed over for an activity, newest first' })
  list(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<GradeListDto> {
    return this.grades.list(caller, id);
  }

  @Post('activities/:id/grades')
  @Idempotent()
  @Access({
    scope: 'chat',
    summary: 'Hand a grade to the learning platform',
    description: 'The answer tells whether the platform took it. A refused grade is kept and can be sent again.',
  })
  give(@CurrentCaller() caller: Caller, @Param('id') id: string, @Body() body: NewGradeDto): Promise<GradeDto> {
    return this.grades.give(caller, id, body);
  }

  @Post('activities/:id/grades/:grade/send')
  @HttpCode(200)
  @Access({ scope: 'chat', summary: 'Send a refused grade again' })
  send(@CurrentCaller() caller: Caller, @Param('id') id: string, @Param('grade') grade: string): Promise<GradeDto> {
    return this.grades.send(caller, id, grade);
  }
}
