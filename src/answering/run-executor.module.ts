import { Global, Module } from '@nestjs/common';
import { RUN_EXECUTOR } from '../runs';
import { AnsweringModule } from './answering.module';
import { BackgroundCompletions } from './background-completions.service';

/** Global, because the module of runs cannot import this one. */
@Global()
@Module({
  imports: [AnsweringModule],
  providers: [{ provide: RUN_EXECUTOR, useExisting: BackgroundCompletions }],
  exports: [RUN_EXECUTOR],
})
export class RunExecutorModule {}
