import type { Caller } from '@bellwether/kernel';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../../src/infrastructure/http';
import { CourseUse } from './course-use.service';
import { CourseUseDto, DaysQueryDto, TaughtCourseDto, TopicsDto } from './course.dto';
import { TaughtCourses } from './taught-courses.service';

/** Courses for instructors, by the role of their last launch. */
@ApiTags('LTI')
@Controller('api/v1/lti/courses/:id')
export class CoursesController {
  constructor(
    private readonly courses: TaughtCourses,
    private readonly use: CourseUse,
  ) {}

  @Get()
  @Access({ scope: 'chat', summary: 'A course that you teach, with its activities and their settings' })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<TaughtCourseDto> {
    return this.courses.get(caller, id);
  }

  @Get('use')
  @Access({ scope: 'chat', summary: 'How much the students of a course ask', description: 'Nobody is named.' })
  figures(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { days }: DaysQueryDto,
  ): Promise<CourseUseDto> {
    return this.use.figures(caller, id, days);
  }

  @Get('topics')
  @Access({
    scope: 'chat',
    summary: 'Subjects that the students of a course ask about',
    description: 'A subject of fewer than five students is not shown.',
  })
  topics(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { days }: DaysQueryDto,
  ): Promise<TopicsDto> {
    return this.use.topics(caller, id, days);
  }
}
