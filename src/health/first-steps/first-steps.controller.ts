import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../infrastructure/http';
import { AnswerFirstStepsDto, FirstStepsDto } from './first-steps.dto';
import { FirstSteps } from './first-steps.service';

@ApiTags('First steps')
@Controller('api/v1/first-steps')
export class FirstStepsController {
  constructor(private readonly steps: FirstSteps) {}

  @Get()
  @Access({ scope: 'read', summary: 'What is left to do until a first assistant is published?' })
  read(@CurrentCaller() caller: Caller): Promise<FirstStepsDto> {
    return this.steps.of(caller);
  }

  @Patch()
  @HttpCode(204)
  @Access({ scope: 'read', summary: 'Go on without a model, or dismiss the checklist' })
  async answer(@CurrentCaller() caller: Caller, @Body() body: AnswerFirstStepsDto): Promise<void> {
    await this.steps.answer(caller, body);
  }
}
